"""Implementations that are wrong in one spot, and only when two threads meet there.

BREAKS has what a race may show of it: first what it is called after, then what else follows from the same fault.
"""
