"""Reference steps through the own code of each framework, and through the definitions of all."""
