"""Target marginals (Jeffrey): the distribution nearest to the model in which some variables are as they shall be.

A target R is a distribution of a set of variables. All targets together are met by the I-projection, the distribution
with the least divergence from the model given the evidence, which iterative proportional fitting (IPFP) approaches:
Q ← Q R_j / Q(X_j), one target after the other [uncertain §4]. Four ways to keep Q, all with one answer, are in
``ways``; they differ in what a step costs.
"""
