"""Transcripts checked against the profile `stream` of the contract (`spec/streams.md`), in one pass."""
