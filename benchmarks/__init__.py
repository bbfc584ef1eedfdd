"""Measurements: throughput against peers, strategies against each other."""
