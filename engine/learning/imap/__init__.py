"""The I-map bound: an upper bound that uses the independences among what is observed.

``separation`` finds what a variable depends on, ``terms`` what it adds to the bound (with the proof), ``search`` an
order, ``groups`` what hidden variables of few states cannot do; ``bound`` puts the components together.

What else was tried, on simulated rows, and is not here:

- Several orders at once, each row's chain rule as a mixture of them. The bound is convex in the weights of the mixture
  and valid for any. Six orders closed another 10–13% of the gap on alarm with 5% or 20% of all cells missing, which
  took seconds: too long for so little.
- Groups by two hidden variables together: another 1% on hepar2 with half hidden, nothing on pigs, alarm and insurance.
- The hidden states as a clustering of rows, whose cost is bounded by the eigenvalues of their covariance: below groups
  only for a cause of 22 effects, by 22 nats of 11,865.

And thought through only:

- A conditional table of rank r is ½ (Σ σ)² nats a row or more from the data's, by Pinsker's inequality and its singular
  values beyond the r-th: never more than ½, where groups take several.
- Branch and bound over the parameters of one hidden variable. A box of parameters bounds the likelihood to first order,
  so that 0.001 nats of a thousand rows would need boxes of 10⁻⁶ in each direction around an optimum.
"""
