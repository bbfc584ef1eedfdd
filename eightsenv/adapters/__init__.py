"""Doors to other libraries: thin, and without any variant's rules."""
