"""Learning the arrows of a Bayesian network: scores, searches, and how high a score can be at most."""
