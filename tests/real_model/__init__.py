"""The smallest real chat model that ships inside a package, behind a real server on loopback.

It is weak, so no quality is asked of it: every turn ends in a visible state, nothing crashes, and
nothing false is trusted. ``make real-model`` runs it; it is no part of ``make test``.
"""
