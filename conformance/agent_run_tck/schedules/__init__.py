"""Exploring schedules: a scenario is run again and again, each time with its threads in another, chosen order."""
