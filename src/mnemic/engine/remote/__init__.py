"""A memory behind an address: what can be asked over HTTP, its JSON, and the client."""
