"""The store on PostgreSQL: one database for many processes and machines."""
