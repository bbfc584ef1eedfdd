"""Bots: everything that chooses actions for a seat."""
