"""One memory on several devices: merging databases, and exchanging changes through a folder."""
