"""Fault injection: killed processes, power cuts, full disks, broken files, hostile strings.

Each module is one scenario: ``run(...)`` takes its size and seed and returns a report. Short sizes
run with the other tests (test_torture.py); ``python -m tests.torture`` runs them in full.
"""
