"""Implementations in other processes, asked over the wire protocol of `spec/protocol.md`."""
