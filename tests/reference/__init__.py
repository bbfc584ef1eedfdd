"""Plain, slow helpers that share no code with the package: the models that the tests compare it with."""
