"""The linear program behind the prices, solved by HiGHS: an oracle for the bound.

Usage: lp_oracle.py FILE    (written by `headroom-sim allot --export FILE`)

Every asker gets at most n places, every item gives at most its capacity, for the largest sum of
lists x seats x chance. Fails unless the optimum is at most the bound and the bound at most 0.1 %
above it.
"""

import sys
import time

import highspy
import numpy as np


def read(path):
    raw = open(path, "rb").read()
    askers, items, pairs = np.frombuffer(raw, "<u8", 3)
    at = 24
    bound = np.frombuffer(raw, "<f8", 1, at)[0]
    at += 8
    capacity = np.frombuffer(raw, "<f4", items, at).astype(float)
    at += 4 * int(items)
    rows = np.frombuffer(raw, "<f4", 4 * askers, at).astype(float).reshape(-1, 4)
    at += 16 * int(askers)
    item = np.frombuffer(raw, "<u4", pairs, at).astype(np.int64)
    at += 4 * int(pairs)
    chance = np.frombuffer(raw, "<f4", pairs, at).astype(float)
    assert at + 4 * int(pairs) == len(raw), "the file is cut short"
    return bound, capacity, rows, item, chance


def optimum(capacity, rows, item, chance):
    lists, seats, places, counts = rows.T
    asker = np.repeat(np.arange(len(rows)), counts.astype(np.int64))
    fits = seats[asker] <= capacity[item]  # else it can't be given at all
    asker, item, chance = asker[fits], item[fits], chance[fits]
    weight = (lists * seats)[asker]

    # A column for each pair: its row of the asker's places and its row of the item's seats.
    lp = highspy.HighsLp()
    lp.num_col_, lp.num_row_ = len(item), len(rows) + len(capacity)
    lp.col_cost_ = weight * chance
    lp.col_lower_, lp.col_upper_ = np.zeros(len(item)), np.ones(len(item))
    lp.row_lower_ = np.full(lp.num_row_, -highspy.kHighsInf)
    lp.row_upper_ = np.concatenate([places, capacity])
    lp.sense_ = highspy.ObjSense.kMaximize
    lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    lp.a_matrix_.start_ = np.arange(0, 2 * len(item) + 1, 2)
    lp.a_matrix_.index_ = np.column_stack([asker, len(rows) + item]).ravel()
    lp.a_matrix_.value_ = np.column_stack([np.ones(len(item)), weight]).ravel()

    highs = highspy.Highs()
    highs.silent()
    highs.passModel(lp)
    highs.run()
    if highs.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        sys.exit(f"HiGHS: {highs.getModelStatus()}")
    return highs.getInfo().objective_function_value


bound, *problem = read(sys.argv[1])
began = time.time()
best = optimum(*problem)
gap = bound / best - 1
print(f"optimum {best:.6f}, bound {bound:.6f}, {100 * gap:.5f} % above it; {time.time() - began:.1f} s")
# The solver's own tolerance is 1e-7 of each row.
if gap < -1e-6:
    sys.exit("the bound is below the optimum: it is no bound")
if gap > 0.001:
    sys.exit("the bound is more than 0.1 % above the optimum")
