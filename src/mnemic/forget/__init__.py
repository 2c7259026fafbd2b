"""Permanent removal: the request, the plan of what it affects, the erasure, and the receipt."""
