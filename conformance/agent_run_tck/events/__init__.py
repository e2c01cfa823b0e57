"""What the checks of events are made of: payloads, values and moments, all drawn up from `spec/events.toml`."""
