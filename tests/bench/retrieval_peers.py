#!/usr/bin/env python3
"""Exact top 10 of all items beside implicit and faiss, in one run: `scripts/bench retrieval` calls this.

One core, the same vectors and the same users for all, who take turns; CPU seconds, since machines are
shared. Ratios are medians over the repeats. Then whether all found the same, and one JSON object.
"""
import argparse
import importlib.util
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import numpy as np  # noqa: E402  after the number of threads is said

MOST = 10
OURS = {"plain": "Headroom", "same": "Headroom, the same prices each time",
        "prices": "Headroom, other prices each time", "few": "Headroom, 9 of 10 blocks full",
        "alone": "Headroom, one user at a time"}


class Headroom:
    def __init__(self, bench, users, items, folder):
        self.process = subprocess.Popen([bench, str(users), str(items), str(folder)], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        if self.process.stdout.readline() != "ready\n":
            raise SystemExit("bench_retrieval did not start")

    def seconds(self, what):
        self.process.stdin.write(what + "\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def implicit_search(users, items):
    from implicit.cpu.topk import topk
    return lambda: topk(items, users, MOST, num_threads=1)


def faiss_search(users, items):
    import faiss
    faiss.omp_set_num_threads(1)
    faiss.cvar.distance_compute_blas_threshold = 20  # as shipped it takes twice as long
    index = faiss.IndexFlatIP(items.shape[1])
    index.add(items)
    return lambda: index.search(users, MOST)[::-1]


PEERS = {"implicit": implicit_search, "faiss": faiss_search}


def timed(work):
    begin = time.process_time()
    result = work()
    return time.process_time() - begin, result


def same_lists(users, items, ids, others):
    """The share of lists with the same items, those aside whose scores are equal up to rounding."""
    same = 0
    for user, ours, theirs in zip(users, ids, others):
        odd = np.setxor1d(ours, theirs)
        last = np.sort(items[ours] @ user)[0]
        same += bool(np.all(np.abs(items[odd] @ user - last) < 1e-4 * (1 + abs(last))))
    return same / len(users)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bench")
    parser.add_argument("--users", type=int, default=1000)
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--repeats", type=int, default=15)
    given = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    peers = {}
    for name in PEERS:
        if importlib.util.find_spec(name):
            peers[name] = PEERS[name]
        else:
            print(f"  {name}: not installed, left out")

    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        ours = Headroom(given.bench, given.users, given.items, folder)
        users = np.fromfile(folder / "users.f32", np.float32).reshape(given.users, -1)
        items = np.fromfile(folder / "items.f32", np.float32).reshape(given.items, -1)
        searches = {name: peer(users, items) for name, peer in peers.items()}
        lists = {name: [] for name in [*OURS, *searches]}
        found = {}
        for repeat in range(given.repeats + 1):  # the first warms up
            for what in OURS:
                lists[what].append(given.users / ours.seconds(what))
            for name, search in searches.items():
                seconds, (ids, _) = timed(search)
                lists[name].append(given.users / seconds)
                found[name] = np.asarray(ids)
            if repeat == 0:
                for rates in lists.values():
                    rates.clear()
        ids = np.fromfile(folder / "found.i32", np.int32).reshape(given.users, MOST)
        ours.end()

    print(f"\nTop {MOST} of {given.items:,} items, rank {users.shape[1]}, {given.users:,} users at once, "
          f"one core, {given.repeats} repeats")
    result = {"lists_per_second": {}, "ratio": {}, "same": {}}
    for name, rates in lists.items():
        result["lists_per_second"][name] = statistics.median(rates)
        print(f"  {OURS.get(name, name):34}{statistics.median(rates):10,.0f} lists/s")
    for name in searches:
        result["same"][name] = same_lists(users, items, ids, found[name])
        print(f"  the same lists as {name}: {100 * result['same'][name]:.1f} %")
    if searches:
        for what in OURS:
            ratios = [rate / max(lists[name][n] for name in searches)
                      for n, rate in enumerate(lists[what])]
            result["ratio"][what] = statistics.median(ratios)
            print(f"  {OURS[what]}: {result['ratio'][what]:.2f} times the better of them")
    for before, words in (("same", "with the same each time"), ("plain", "without any")):
        changing = statistics.median(b / a for a, b in zip(lists[before], lists["prices"]))
        result[f"prices_to_{before}"] = changing
        print(f"  with other prices each time: {changing:.3f} times the speed {words}")
    print(json.dumps(result))
    return 0


if __name__ == "__main__":
    sys.exit(main())
