"""Statements out of turns: extraction, grounding, reconciling, episodes, the inbox."""
