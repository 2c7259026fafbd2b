"""The mind, and how one is opened: on a database, on plain files, or at a service."""
