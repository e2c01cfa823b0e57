"""Speed of the reference against its limits and its peers: `make bench`."""
