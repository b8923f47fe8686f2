"""Learning from target cells: what the posterior of a cell shall be (Jeffrey) [uncertain, chapters 4 to 7].

*Fixed* targets hold whatever else a row says. Row d with targets R_j is completed by Q, the distribution nearest to
P(· | d) in which Q(X_j) = R_j for all j, and what is learned climbs J = Σ w [log P(d) − KL(Q ‖ P(· | d))]. A row with
one target is split into rows of hard states (``splitting``). In a row with several, Q = P ∏ λ_j / Z, and

    log P(d) − KL(Q ‖ P(· | d)) = min over λ of [log Z_λ(d) − Σ_j Σ_x R_j(x) log λ_j(x)],

so that it is a row of likelihoods λ, found anew at every pass (``fitting``), whose counts and gradient are those of a
row of likelihoods: at the minimum, a change of λ changes nothing. No learner knows of it.

Targets that are *not fixed* hold before a row's other cells are known, which change them: see
:mod:`engine.learning.target_jobs`.
"""
