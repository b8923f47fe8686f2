"""The learner for people who want the answer: it searches, drops what is hopeless, and polishes what is best.

All is done group by group (:mod:`slots`): a group is a component, or the whole network where components are coupled.

1. *Search* (:mod:`search`). All restarts are stepped together by the learner whose steps are cheapest: EM in a Bayesian
   network, L-BFGS in a Markov network. Some steps on (an iteration), the worse half is dropped, and again, until one is
   left (successive halving); the last of them are stepped by L-BFGS. The places of the others then go to variations of
   it (:mod:`variations`), which are stepped and halved likewise; one that comes out better takes its place. After some
   rounds with nothing better the search begins anew from other starts, some times, and the best of all is kept. Some
   variations then take tables of it, so that good parts of two are joined.
2. *Polish* (:mod:`polish`). L-BFGS, EM and hybrid are tried side by side on the best, for the same work; the one that
   gains most for it goes on, until they are tried again. Work is counted in rows and not in seconds, so that the same
   start always ends the same. (EDML is there as a part of hybrid, which keeps its update wherever it is the better.)

The best of every group is in the first restart. A group within 0.001 nats of its bound is certified, and ends at once.
All others are searched, however near their bound: a tree's component 0.9 nats below it had a peak 0.5 nats higher.

Why variations: on alarm, win95pts and insurance with a fifth to a half of the variables hidden, eight restarts of EM,
EDML, hybrid, L-BFGS and CG end up to 20 nats apart, none of them always best. Variations of the best, stepped by EM,
were above all of them on alarm and insurance, and as high on win95pts, in less time.

Why L-BFGS at last: where EM had all steps of the search, win95pts with half of it hidden was 0.24 nats below EM's own
eight restarts, for a variation in a higher basin is lower for hundreds of steps than a best that has made them. Where
L-BFGS came after only 30 steps of EM, it led to other basins than EM, 0.25 (win95pts) and 0.55 nats (child) lower.

Why tables of the best: without them alarm with a fifth hidden was, after 15 s, 1 nat (2^10 rows) and 2 nats (2^12)
below the best of all other learners; with them 4 nats above, both times.
"""
