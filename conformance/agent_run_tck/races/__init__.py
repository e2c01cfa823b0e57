"""Races: small scenarios of two to four threads, and what the contract says of every way in which they may end."""
