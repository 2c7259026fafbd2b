"""Durable background work: one queue, one worker, schedules by cron expression."""
