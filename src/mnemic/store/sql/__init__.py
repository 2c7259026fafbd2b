"""The parts of a store that SQLite and PostgreSQL share: one SQL, said to both."""
