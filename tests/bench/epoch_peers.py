#!/usr/bin/env python3
"""LIBMF and Cornac: CPU seconds to a test AUC on a half split, as `headroom-sim epochs` has it.

Usage: epoch_peers.py PEER FILE, with FILE as `headroom-sim data --export` writes it. Each number of
epochs is a run of its own from the start, so that what a program does once counts once. Of a few
settings, the best counts for each target. The last line of the output is a JSON object.
"""
import argparse
import json
import time

import numpy

from half_split import HalfSplit

RANK = 16
TARGETS = ("0.90", "0.92", "0.925")
EPOCHS = (2, 4, 6, 8, 10, 12, 16, 20, 24, 32, 48)


class Libmf:
    """Its BPR. Step and regulariser: from grids of 42 on ML-100K and of 6 on ML-1M."""
    SETTINGS = ({"eta": 0.3, "l2": 0.02}, {"eta": 0.3, "l2": 0.01})

    def __init__(self, split):
        from libmf import mf
        self.mf, self.split = mf, split
        self.pairs = numpy.concatenate([split.train, numpy.ones((len(split.train), 1))], axis=1)

    def fit(self, epochs, eta, l2):
        model = self.mf.MF(fun=self.mf.P_ROW_BPR_MFOC, k=RANK, nr_threads=1, nr_bins=8,
                           nr_iters=epochs, eta=eta, lambda_p1=0, lambda_q1=0, lambda_p2=l2,
                           lambda_q2=l2, quiet=True)
        began = time.process_time()
        model.fit(self.pairs)
        seconds = time.process_time() - began
        return seconds, self.split.auc(full(model.p_factors(), self.split.users),
                                       full(model.q_factors(), self.split.items))


def full(factors, rows):
    """With rows of 0 for what comes in no pair."""
    out = numpy.zeros((rows, factors.shape[1]), dtype=factors.dtype)
    out[:len(factors)] = numpy.nan_to_num(factors)
    return out


class Cornac:
    """Its BPR with item biases. Settings: from grids of 24 on ML-100K and of 9 on ML-1M."""
    SETTINGS = ({"step": 0.05, "l2": 0.01}, {"step": 0.05, "l2": 0.02}, {"step": 0.08, "l2": 0.03},
                {"step": 0.12, "l2": 0.01}, {"step": 0.16, "l2": 0.03})

    def __init__(self, split):
        from cornac.data import Dataset
        self.split = split
        self.data = Dataset.build([(int(user), int(item), 1.0) for user, item in split.train])
        self.users = numpy.array([self.data.uid_map[user] for user in range(split.users)])

    def fit(self, epochs, step, l2):
        from cornac.models import BPR
        model = BPR(k=RANK, max_iter=epochs, learning_rate=step, lambda_reg=l2, seed=1)
        began = time.process_time()
        model.fit(self.data)
        seconds = time.process_time() - began
        return seconds, self.split.auc(model.u_factors[self.users], self.by_item(model.i_factors),
                                       self.by_item(model.i_biases))

    def by_item(self, values):
        out = numpy.zeros((self.split.items, *values.shape[1:]), dtype=values.dtype)
        for item, row in self.data.iid_map.items():
            out[item] = values[row]
        return out


PEERS = {"libmf": Libmf, "cornac": Cornac}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("peer", choices=PEERS)
    parser.add_argument("file")
    arguments = parser.parse_args()
    peer = PEERS[arguments.peer](HalfSplit(arguments.file))
    best, met = 0.0, dict.fromkeys(TARGETS)
    for setting in peer.SETTINGS:
        for epochs in EPOCHS:
            seconds, auc = peer.fit(epochs, **setting)
            best = max(best, auc)
            for name in TARGETS:
                if auc >= float(name) and seconds < (met[name] or float("inf")):
                    met[name] = seconds
            if auc >= float(TARGETS[-1]):
                break
    print(json.dumps({"cpu_seconds_to": met, "best_auc": best}))


if __name__ == "__main__":
    main()
