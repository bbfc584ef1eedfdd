"""Benchmarks that anyone can run: speed against peers, and the strength of strategies."""
