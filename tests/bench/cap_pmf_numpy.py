#!/usr/bin/env python3
"""Cap-PMF's batch training in NumPy: the yardstick of `scripts/bench paper`.

The same algorithm as simulator/batch_training.cpp (alternating full-gradient Adagrad steps on U and
V, the objective looked at once an iteration), written as a good NumPy user would: float32, whole
matrices, BLAS for every product, SciPy's sparse matrices, made once, for the observations.
`--in-place` is what an expert makes of it: no temporary is ever allocated, every pass over the
matrix of scores is done in place. It is about twice as fast, and no longer reads like the formulas.

usage: cap_pmf_numpy.py [--in-place] FILE ITERATIONS     FILE: user <tab> item [<tab> ...]
Prints one JSON object: seconds_per_iteration (best of three runs), capacity_loss, objective.
"""
import json
import sys
import time

import numpy as np
from scipy.sparse import csr_matrix

RANK, L2, STEP, FLOOR = 10, np.float32(1e-5), np.float32(1), np.float32(1e-8)


def read_pairs(path):
    columns = np.loadtxt(path, dtype=str, delimiter="\t", usecols=(0, 1))
    users = np.unique(columns[:, 0], return_inverse=True)[1]
    items = np.unique(columns[:, 1], return_inverse=True)[1]
    return users, items


def half_split(users, items, rng):
    """A random half of each user's pairs with target 1, and as many unseen ones with target 0."""
    m, n = users.max() + 1, items.max() + 1
    rows, columns, targets = [], [], []
    order = np.argsort(users, kind="stable")
    for user, seen in enumerate(np.split(items[order], np.cumsum(np.bincount(users))[:-1])):
        half = rng.permutation(seen)[: (len(seen) + 1) // 2]
        unseen = rng.permutation(np.setdiff1d(np.arange(n), seen))[: len(half)]
        rows.append(np.full(len(half) + len(unseen), user))
        columns.append(np.concatenate([half, unseen]))
        targets.append(np.concatenate([np.ones(len(half)), np.zeros(len(unseen))]))
    targets = np.concatenate(targets).astype(np.float32)
    return np.concatenate(rows), np.concatenate(columns), targets, m, n


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


class CapPmf:
    def __init__(self, users, items, alpha, seed):
        rng = np.random.default_rng(seed)
        self.rows, self.columns, self.target, m, n = half_split(users, items, rng)
        self.alpha = np.float32(alpha)
        self.p = (np.bincount(users, minlength=m) / n).astype(np.float32)
        self.c = np.bincount(items, minlength=n).astype(np.float32)
        self.u = rng.normal(0, 0.1, (m, RANK)).astype(np.float32)
        self.v = rng.normal(0, 0.1, (n, RANK)).astype(np.float32)
        self.u_squares, self.v_squares = np.zeros_like(self.u), np.zeros_like(self.v)
        # Sparse matrices whose values are replaced in place: one structure, no sorting per step.
        numbers = np.arange(len(self.target)) + 1
        self.by_user = csr_matrix((numbers, (self.rows, self.columns)), (m, n))
        self.by_item = csr_matrix((numbers, (self.columns, self.rows)), (n, m))
        self.user_order, self.item_order = self.by_user.data - 1, self.by_item.data - 1
        self.by_user = self.by_user.astype(np.float32)
        self.by_item = self.by_item.astype(np.float32)

    def look(self):
        score = self.u @ self.v.T
        residual = score[self.rows, self.columns] - self.target
        chance = sigmoid(score)
        usage = self.p @ chance
        pressure = self.alpha / len(self.c) * sigmoid(usage - self.c)
        return residual, usage, pressure, chance * (1 - chance)

    def pull(self, residual):
        return (1 - self.alpha) * np.float32(2 / len(residual)) * residual

    @staticmethod
    def adagrad(weights, squares, gradient):
        squares += gradient * gradient
        weights -= STEP * gradient / (np.sqrt(squares) + FLOOR)

    def iterate(self):
        residual, usage, pressure, slope = self.look()
        objective = self.objective(residual, usage)
        self.by_user.data[:] = self.pull(residual)[self.user_order]
        gradient = self.by_user @ self.v + 2 * L2 * self.u
        gradient += self.p[:, None] * (slope @ (pressure[:, None] * self.v))
        self.adagrad(self.u, self.u_squares, gradient)

        residual, usage, pressure, slope = self.look()
        self.by_item.data[:] = self.pull(residual)[self.item_order]
        gradient = self.by_item @ self.u + 2 * L2 * self.v
        gradient += pressure[:, None] * (slope.T @ (self.p[:, None] * self.u))
        self.adagrad(self.v, self.v_squares, gradient)
        return objective

    def capacity_loss(self, usage):
        return float(np.logaddexp(0, usage - self.c).mean())

    def objective(self, residual, usage):
        squares = float((self.u**2).sum() + (self.v**2).sum())
        accuracy = float((residual**2).mean())
        return (1 - self.alpha) * accuracy + self.alpha * self.capacity_loss(usage) + L2 * squares


class InPlace(CapPmf):
    def __init__(self, *arguments, **named):
        super().__init__(*arguments, **named)
        shape = (len(self.u), len(self.v))
        self.chance, self.slope = np.empty(shape, np.float32), np.empty(shape, np.float32)

    def look(self):
        chance, slope = self.chance, self.slope
        np.matmul(self.u, self.v.T, out=chance)
        residual = chance[self.rows, self.columns] - self.target
        np.negative(chance, out=chance)
        np.exp(chance, out=chance)
        chance += 1
        np.reciprocal(chance, out=chance)
        usage = self.p @ chance
        pressure = self.alpha / len(self.c) * sigmoid(usage - self.c)
        np.multiply(chance, chance, out=slope)
        np.subtract(chance, slope, out=slope)
        return residual, usage, pressure, slope


def main():
    words = sys.argv[1:]
    form = InPlace if "--in-place" in words else CapPmf
    path, iterations = [word for word in words if word != "--in-place"]
    model = form(*read_pairs(path), alpha=0.2, seed=1)
    model.iterate()  # warm the caches and the BLAS threads
    best = float("inf")
    objective = 0.0
    for _ in range(3):
        began = time.perf_counter()
        for _ in range(int(iterations)):
            objective = model.iterate()
        best = min(best, (time.perf_counter() - began) / int(iterations))
    usage = model.look()[1]
    print(json.dumps({"seconds_per_iteration": best, "capacity_loss": model.capacity_loss(usage),
                      "objective": float(objective)}))


if __name__ == "__main__":
    np.seterr(over="ignore")  # exp of a large score: the sigmoid is 0 all the same
    main()
