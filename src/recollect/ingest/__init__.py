"""From what is said to what is kept: turns, transcripts, daily events, attachments, memories."""
