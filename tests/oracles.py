"""Brute force: the joint distribution as one array. Shares no code with the engine."""

from __future__ import annotations

import itertools
import math

import networkx as nx
import numpy as np


def joint_weights(cardinalities, scopes, tables, evidence):
    """The product of all tables and evidence vectors, as an array over all variables.

    ``evidence`` maps a variable to a vector that is multiplied in.
    """
    joint = np.ones(tuple(cardinalities))
    for scope, table in (*zip(scopes, tables, strict=True), *(((v,), vector) for v, vector in evidence.items())):
        shape = [cardinality if v in scope else 1 for v, cardinality in enumerate(cardinalities)]
        joint = joint * np.asarray(table, dtype=float).transpose(np.argsort(scope)).reshape(shape)
    return joint


def marginal(joint, scope):
    """The sum of a joint over all variables but those of a scope, axes in the scope's order."""
    kept = sorted(scope)
    summed = joint.sum(axis=tuple(v for v in range(joint.ndim) if v not in kept))
    return summed.transpose([kept.index(v) for v in scope])


def row_evidence(cells):
    """Evidence vectors of a row of cells: (cardinality, None | state code | vector)."""
    vectors = {}
    for v, (cardinality, cell) in enumerate(cells):
        if cell is None:
            continue
        vectors[v] = np.eye(cardinality)[cell] if isinstance(cell, int | np.integer) else np.asarray(cell)
    return vectors


def log(x):
    return math.log(x) if x > 0 else -math.inf


def project_on_marginals(joint, targets, rounds):
    """The I-projection of a joint distribution: IPFP on the whole array, one target after another.

    ``targets`` maps a variable, or a tuple of them in any order, to the distribution it shall have.
    """
    fitted = joint / joint.sum()
    for _ in range(rounds):
        for key, target in targets.items():
            scope = key if isinstance(key, tuple) else (key,)
            current = marginal(fitted, scope)
            for codes in itertools.product(*(range(joint.shape[v]) for v in scope)):
                cells = tuple(codes[scope.index(v)] if v in scope else slice(None) for v in range(joint.ndim))
                if current[codes] > 0:
                    fitted[cells] *= np.asarray(target)[codes] / current[codes]
    return fitted


def divergence(p, q):
    """Σ p log (p / q), the information that p has beyond q."""
    return sum(a * math.log(a / b) for a, b in zip(p.reshape(-1), q.reshape(-1), strict=True) if a > 0)


# Learning. Rows are lists of cells (None | state code | vector), models are cardinalities, scopes
# (parents..., child) and tables; nothing is merged, cut or cached.


def row_joint(cardinalities, joint, cells):
    """The joint of a model times the evidence of one row."""
    weights = joint
    for v, vector in row_evidence(list(zip(cardinalities, cells, strict=True))).items():
        weights = weights * np.asarray(vector).reshape([-1 if axis == v else 1 for axis in range(joint.ndim)])
    return weights


def log_likelihood(cardinalities, scopes, tables, rows, weights):
    """Σ w log Pr(row) over the rows that count."""
    joint = joint_weights(cardinalities, scopes, tables, {})
    found = [w * log(row_joint(cardinalities, joint, cells).sum()) for cells, w in zip(rows, weights, strict=True) if w]
    return math.fsum(found)


def log_prior(tables, exponents):
    """Σ (ψ − 1) log θ."""
    return math.fsum(
        (psi - 1) * log(theta)
        for table, psis in zip(tables, exponents, strict=True)
        for theta, psi in zip(np.ravel(table), np.ravel(psis), strict=True)
        if psi != 1
    )


def expected_counts(cardinalities, scopes, tables, rows, weights):
    """Σ w Pr(x u | row), per table."""
    joint = joint_weights(cardinalities, scopes, tables, {})
    counts = [np.zeros(np.shape(table)) for table in tables]
    for cells, weight in zip(rows, weights, strict=True):
        if weight:
            posterior = row_joint(cardinalities, joint, cells)
            posterior = posterior / posterior.sum()
            for table, scope in zip(counts, scopes, strict=True):
                table += weight * marginal(posterior, scope)
    return counts


def fit_scopes(cardinalities, scopes, rows, weights, rounds):
    """The best log-likelihood of complete rows under any factors of these scopes: the joint, fitted to the marginals
    of the data one after another."""
    data = sum(
        (w * row_joint(cardinalities, np.ones(cardinalities), row) for row, w in zip(rows, weights, strict=True))
    )
    joint = np.full(cardinalities, data.sum() / data.size)
    for _ in range(rounds):
        for scope in scopes:
            ratio = np.array(marginal(data, scope)), np.array(marginal(joint, scope))
            table = np.divide(*ratio, out=np.zeros_like(ratio[0]), where=ratio[1] > 0)
            axes = [scope.index(v) for v in sorted(scope)]
            joint = joint * table.transpose(axes).reshape([c if v in scope else 1 for v, c in enumerate(cardinalities)])
    return math.fsum(
        n * math.log(p / data.sum()) for n, p in zip(data.reshape(-1), joint.reshape(-1), strict=True) if n
    )


def normalised(weights, otherwise):
    """Each row of a table divided by its sum; a row that sums to 0 is taken from another table."""
    sums = weights.sum(axis=-1, keepdims=True)
    return np.where(sums > 0, weights / np.where(sums > 0, sums, 1), otherwise)


def em_step(cardinalities, scopes, tables, rows, weights, exponents):
    """The tables after one step of (MAP-)EM: Alg. 3 [thesis]."""
    counts = expected_counts(cardinalities, scopes, tables, rows, weights)
    updates = zip(counts, exponents, tables, strict=True)
    return [normalised(count + (psi - 1), np.asarray(table)) for count, psi, table in updates]


def projected_counts(rows, weights, columns):
    """The distinct rows over some columns, with the sum of their weights."""
    found = {}
    for cells, weight in zip(rows, weights, strict=True):
        key = tuple(cells[v] for v in columns)
        found[key] = found.get(key, 0.0) + weight
    return found


def conditional_bound(pairs):
    """Σ n(given, outcome) log n(given, outcome) / n(given) over (given, outcome, weight)."""
    joint, margin = {}, {}
    for given, outcome, weight in pairs:
        joint[given, outcome] = joint.get((given, outcome), 0.0) + weight
        margin[given] = margin.get(given, 0.0) + weight
    return math.fsum(n * math.log(n / margin[given]) for (given, _), n in joint.items() if n > 0)


def saturated_bound(rows, weights, outcome, given):
    """The best Σ w log Pr(outcome | given) of any conditional distribution."""
    return conditional_bound(
        (tuple(cells[v] for v in given), tuple(cells[v] for v in outcome), w)
        for cells, w in zip(rows, weights, strict=True)
    )


def partial_bound(rows, weights, partial, given):
    """What partially observed variables add: one conditional distribution of each for every set of values
    seen of those before it. Those seen most often come first; of equals, the first variable."""

    def seen(cell):
        return cell if isinstance(cell, int) else None

    order = sorted(
        partial, key=lambda v: -math.fsum(w for c, w in zip(rows, weights, strict=True) if seen(c[v]) is not None)
    )
    total = 0.0
    for k, v in enumerate(order):
        total += conditional_bound(
            ((tuple(cells[u] for u in given), tuple(seen(cells[u]) for u in order[:k])), cells[v], w)
            for cells, w in zip(rows, weights, strict=True)
            if seen(cells[v]) is not None
        )
    return total


def are_separated(parents, a, b, given):
    """Whether two variables are d-separated by others: not joined in the moral graph of all their ancestors."""
    graph = nx.DiGraph([(p, child) for child, ps in enumerate(parents) for p in ps])
    graph.add_nodes_from(range(len(parents)))
    kept = {a, b, *given}.union(*(nx.ancestors(graph, v) for v in (a, b, *given)))
    moral = nx.Graph()
    moral.add_nodes_from(kept)
    for v in kept:
        moral.add_edges_from(itertools.combinations((*parents[v], v), 2))
    moral.remove_nodes_from(given)
    return not nx.has_path(moral, a, b)


def markov_boundary(parents, node, given):
    """Those of some variables that a variable depends on even if all the others of them are known."""
    return frozenset(e for e in given if not are_separated(parents, node, e, set(given) - {e}))


def group_bound(parents, cardinalities, rows, weights, group, before, hidden):
    """The bound of variables that are observed in every row, by the states of a hidden one, row by row.

    An effect of all of the group, that nobody sees, stands for the group: what it depends on, they do.
    """
    joint = len(parents)
    cells, totals, known = {}, {}, {}
    for row, w in zip(rows, weights, strict=True):
        seen = frozenset(u for u in before if isinstance(row[u], int)) | {hidden}
        if seen not in known:
            known[seen] = markov_boundary([*parents, tuple(group)], joint, seen) - {hidden}
        boundary = known[seen]
        given = boundary, tuple(row[u] for u in sorted(boundary))
        cell = given, tuple(row[v] for v in group)
        cells[cell] = cells.get(cell, 0.0) + w
    for (given, _), n in cells.items():
        totals.setdefault(given, []).append(n)
    return math.fsum(limited_bound([n for n in counts if n > 0], cardinalities[hidden]) for counts in totals.values())


def limited_bound(counts, most):
    """The maximum of Σ n log R where R ≤ 1 and Σ R ≤ most: R = min(1, λ n), with λ by bisection."""
    if len(counts) <= most:
        return 0.0
    low, high = 0.0, 2 * most / min(counts)
    for _ in range(300):
        middle = (low + high) / 2
        low, high = (middle, high) if sum(min(1.0, middle * n) for n in counts) < most else (low, middle)
    return math.fsum(n * math.log(min(1.0, high * n)) for n in counts)


def imap_terms(parents, rows, weights, order, given, exponents):
    """The I-map bound of a component's variables in an order, row by row: {variable: its term}.

    ``parents`` are those of its sub-network, ``given`` is its boundary. Rows that see a variable depend on its parents
    alone are counted together with its exponents.
    """
    known, terms = {}, {}
    for k, v in enumerate(order):
        pairs, counts = [], np.asarray(exponents[v], dtype=float) - 1
        for cells, w in zip(rows, weights, strict=True):
            if not isinstance(cells[v], int) or not w:
                continue
            seen = frozenset(given) | {u for u in order[:k] if isinstance(cells[u], int)}
            if (v, seen) not in known:
                known[v, seen] = markov_boundary(parents, v, seen)
            boundary = known[v, seen]
            if boundary == set(parents[v]):
                counts[tuple(cells[u] for u in (*parents[v], v))] += w
            else:
                pairs.append(((boundary, tuple(cells[u] for u in sorted(boundary))), cells[v], w))
        terms[v] = conditional_bound(pairs) + dirichlet_maximum(counts)
    return terms


def soft_constant(rows, weights, variables):
    """Σ w log max λ over the likelihood cells of some variables."""
    return math.fsum(
        w * math.log(max(cells[v]))
        for cells, w in zip(rows, weights, strict=True)
        for v in variables
        if cells[v] is not None and not isinstance(cells[v], int)
    )


def dirichlet_maximum(weights):
    """The maximum over θ of Σ w log θ, for each row of a table, added up."""
    total = 0.0
    for row in np.asarray(weights, dtype=float).reshape(-1, np.shape(weights)[-1]):
        total += math.fsum(w * math.log(w / row.sum()) for w in row if w > 0)
    return total


def find_components(parents, observed, hidden):
    """Pruned variables, and (component, boundary) pairs, straight from §6.2 [thesis]."""
    graph = nx.DiGraph([(p, child) for child, ps in enumerate(parents) for p in ps])
    graph.add_nodes_from(range(len(parents)))
    whole = graph.copy()
    pruned = set()
    while leaves := [v for v in graph if graph.out_degree(v) == 0 and v in hidden]:
        pruned.update(leaves)
        graph.remove_nodes_from(leaves)
    graph.remove_edges_from([(p, child) for p, child in list(graph.edges) if p in observed])
    found = [set(nodes) for nodes in nx.weakly_connected_components(graph)]
    return pruned, [(s, {p for v in s for p in whole.predecessors(v)} - s) for s in found]


def naive_bayes_em_step(prior, attributes, rows):
    """EM with a hidden class in log space: new (prior, tables), and the log-likelihood before.

    ``attributes[a][c][x]`` is Pr(x | c); rows are complete over the attributes.
    """
    classes = range(len(prior))
    logs = [[[log(p) for p in row] for row in table] for table in attributes]
    share = np.zeros(len(prior))
    counts = np.zeros(np.shape(attributes))
    total = 0.0
    for row in rows:
        scores = [log(prior[c]) + math.fsum(logs[a][c][x] for a, x in enumerate(row)) for c in classes]
        top = max(scores)
        row_log = top + math.log(math.fsum(math.exp(s - top) for s in scores))
        total += row_log
        for c in classes:
            posterior = math.exp(scores[c] - row_log)
            share[c] += posterior
            for a, x in enumerate(row):
                counts[a, c, x] += posterior
    return share / share.sum(), counts / counts.sum(axis=-1, keepdims=True), total


# EDML, straight from Algorithm 4 [thesis]: every row on every parameter set.


def family_derivatives(cardinalities, scopes, tables, child, rows):
    """Per row, the derivatives of Pr(row) by the parameters of a table: Pr is linear in each."""
    others = [k for k in range(len(scopes)) if k != child]
    rest = joint_weights(cardinalities, [scopes[k] for k in others], [tables[k] for k in others], {})
    found = [marginal(row_joint(cardinalities, rest, cells), scopes[child]) for cells in rows]
    return np.array(found).reshape(len(rows), *np.shape(tables[child]))


def soft_evidence(cardinalities, scopes, tables, child, rows):
    """Eq. 4.1 [thesis]: λ(x|u) per row, in the shape of the child's table, with derivatives for Pr(xu|d)/θ."""
    derivatives = family_derivatives(cardinalities, scopes, tables, child, rows)
    products = derivatives * np.asarray(tables[child])
    probability = products.sum(axis=tuple(range(1, products.ndim)), keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        return derivatives / probability - products.sum(axis=-1, keepdims=True) / probability + 1


def sub_problems(cardinalities, scopes, tables, rows, weights, exponents):
    """Eq. 4.2 [thesis]: (child, parents' states, λ per row that counts, weights, ψ) of every parameter set."""
    counted = [k for k, w in enumerate(weights) if w]
    for child, table in enumerate(tables):
        every = soft_evidence(cardinalities, scopes, tables, child, [rows[k] for k in counted])
        for u in np.ndindex(np.shape(table)[:-1]):
            yield child, u, every[(slice(None), *u)], np.array([weights[k] for k in counted]), exponents[child][u]


def set_objective(theta, evidence, weights, exponents):
    """The logarithm of what Eq. 4.2 [thesis] maximises."""
    prior = math.fsum((psi - 1) * log(x) for psi, x in zip(exponents, theta, strict=True) if psi != 1)
    return prior + math.fsum(w * log(vector @ theta) for w, vector in zip(weights, evidence, strict=True) if w)


def optimality_gap(theta, evidence, weights, exponents):
    """How far the objective of a parameter set can lie below its maximum: max g − θ·g, as it is concave."""
    theta = np.asarray(theta)
    gradient = (np.asarray(weights)[:, None] * evidence / (evidence @ theta)[:, None]).sum(axis=0)
    with np.errstate(divide="ignore"):
        gradient = gradient + np.divide(exponents - 1, theta, out=np.zeros_like(theta), where=exponents != 1)
    return gradient.max() - np.where(theta > 0, theta * gradient, 0.0).sum()


def local_update(theta, evidence, weights, exponents):
    """Eq. 4.3 [thesis]."""
    share = (weights[:, None] * evidence * theta / (evidence @ theta)[:, None]).sum(axis=0)
    return (exponents - 1 + share) / (np.sum(exponents - 1) + np.sum(weights))


def best_of_two(bayes_factors, weights, exponents):
    """Eq. 3.2 [thesis]: the best p of a binary parameter set, by bisection on the derivative of its logarithm.

    A row with κ = ∞ counts as log p (the thesis' footnote).
    """
    alpha, beta = exponents

    def slope(p):
        found = (alpha - 1) / p - (beta - 1) / (1 - p)
        for kappa, weight in zip(bayes_factors, weights, strict=True):
            found += weight * (1 / p if math.isinf(kappa) else (kappa - 1) / (kappa * p - p + 1))
        return found

    low, high = 1e-15, 1 - 1e-15
    if slope(low) <= 0:
        return 0.0
    if slope(high) >= 0:
        return 1.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if slope(middle) > 0 else (low, middle)
    return (low + high) / 2


# Learning from targets. A row of cells is as above, with its targets apart: a mapping from variable to distribution.


def complete_row(cardinalities, scopes, tables, cells, targets, rounds=2000):
    """The distribution nearest to P(· | row) with the targets, and log P(row) less its divergence from P(· | row)."""
    joint = row_joint(cardinalities, joint_weights(cardinalities, scopes, tables, {}), cells)
    probability = joint.sum()
    found, before = joint / probability, np.inf
    while abs(found - before).max() > 1e-15 and rounds:
        before, rounds = found, rounds - 1
        for v, target in targets.items():
            others = tuple(axis for axis in range(joint.ndim) if axis != v)
            current = found.sum(axis=others, keepdims=True)
            wanted = np.reshape(target, current.shape)
            found = found * np.where(wanted > 0, wanted / np.where(current > 0, current, 1), 0)
    return found, math.log(probability) - divergence(found, joint / probability)


def jeffrey_counts(cardinalities, scopes, tables, rows, targets, weights):
    """Σ w Q(x u) per table, and J = Σ w [log P(row) − KL(Q ‖ P(· | row))]."""
    counts, reached = [np.zeros(np.shape(table)) for table in tables], 0.0
    for cells, wanted, weight in zip(rows, targets, weights, strict=True):
        completed, value = complete_row(cardinalities, scopes, tables, cells, wanted)
        reached += weight * value
        for table, scope in zip(counts, scopes, strict=True):
            table += weight * marginal(completed, scope)
    return counts, reached


def moving_counts(cardinalities, scopes, tables, rows, targets, weights):
    """Σ w Q(x u | row) per table and Σ w log Q(row), where Q has the targets before the row is known."""
    counts, reached = [np.zeros(np.shape(table)) for table in tables], 0.0
    for cells, wanted, weight in zip(rows, targets, weights, strict=True):
        before, _ = complete_row(cardinalities, scopes, tables, [None] * len(cardinalities), wanted)
        posterior = row_joint(cardinalities, before, cells)
        reached += weight * math.log(posterior.sum())
        for table, scope in zip(counts, scopes, strict=True):
            table += weight * marginal(posterior / posterior.sum(), scope)
    return counts, reached
