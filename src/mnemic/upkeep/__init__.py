"""Upkeep: the daily and weekly work that keeps memory small and true, and the rules of the bus."""

DAILY_KIND = "upkeep_daily"
WEEKLY_KIND = "upkeep_weekly"
STEP_KIND = "upkeep_step"
DOCUMENTS_KIND = "documents"  # documents and cards brought up to date outside a run
