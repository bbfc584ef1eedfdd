"""Self-play training."""
