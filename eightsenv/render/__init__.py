"""A game as a person sees it."""
