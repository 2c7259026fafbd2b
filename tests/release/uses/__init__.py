"""What each extra is for, as a program of a person who installed it and nothing else.

Each runs in an environment of its own, where the extra is installed; and in one without any, where
it has to end in the error that says how to install it.
"""
