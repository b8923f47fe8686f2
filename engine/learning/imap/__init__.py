"""The I-map bound: an upper bound that uses the independences among what is observed.

``separation`` finds what a variable depends on, ``terms`` what it adds to the bound (with the proof), ``search`` the order,
``groups`` what hidden variables of few states cannot do, and ``bound`` puts the components together.

What else was tried, on simulated rows:

- Several orders at once, each row's chain rule as a mixture of them: the bound is convex in the mixture's weights, and
  valid for any. Six orders closed another 10–12% of the gap on alarm with 5% or 20% of all cells missing, in some seconds;
  where whole columns are hidden nothing, for all rows then have one best order. Not kept: too long for so little.
- Groups by two hidden variables together: another 1% on hepar2 with half hidden, nothing elsewhere.
- The rank of a conditional table by its singular values (Pinsker's inequality): at most ½ nat a row where groups take
  several. Hidden classes as a clustering of rows, bounded by the eigenvalues of their covariance: lower than groups only
  for 20 effects or more without other causes.
- Branch and bound over the parameters of one hidden variable: a box bounds the likelihood to first order only, so that
  0.001 nats of a thousand rows need boxes of 10⁻⁶ in every direction; out of reach beyond two or three parameters.
"""
