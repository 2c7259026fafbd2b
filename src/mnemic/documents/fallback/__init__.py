"""The plain files that stand in for the database while memory is switched off."""
