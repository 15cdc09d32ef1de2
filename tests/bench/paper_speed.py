#!/usr/bin/env python3
"""Batch training beside NumPy, in one run on the same machine: `scripts/bench paper` calls this.

Prints a table and ends with one JSON object. Timings of two programs on a shared machine are noisy,
so they take turns and the best of each counts; the ratio is what to look at.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).parent
TURNS, ITERATIONS, THREADS = 3, 100, 2


def run(command, **environment):
    done = subprocess.run([str(word) for word in command], check=True, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          env={**os.environ, **environment})
    return done.stdout


def headroom(sim, *flags):
    return json.loads(run([sim, "paper", *flags, "--threads", THREADS, "--json"]))


def beside_numpy(sim, path, dataset_flags):
    """Seconds an iteration, the best of each, and the capacity losses they come to."""
    numpy_script = [sys.executable, HERE / "cap_pmf_numpy.py"]
    threads = {"OPENBLAS_NUM_THREADS": str(THREADS), "OMP_NUM_THREADS": str(THREADS)}
    best, losses = {}, {}

    def note(who, seconds, loss):
        best[who], losses[who] = min(best.get(who, float("inf")), seconds), loss

    for _ in range(TURNS):
        for who, flags in (("NumPy", []), ("NumPy in place", ["--in-place"])):
            theirs = json.loads(run([*numpy_script, *flags, path, ITERATIONS], **threads))
            note(who, theirs["seconds_per_iteration"], theirs["capacity_loss"])
        ours = headroom(sim, *dataset_flags, "--method", "pmf", "--alpha", 0.2, "--repeats", 3,
                        "--tolerance", 0, "--iterations", ITERATIONS)
        note("Headroom", ours["seconds"] / (3 * ITERATIONS), ours["capacity_loss"]["mean"])
    return best, losses


def sweep(sim, flags):
    began = time.perf_counter()
    for alpha in (0, 0.2, 0.4, 0.6, 0.8, 1):
        headroom(sim, *flags, "--method", "geomf", "--alpha", alpha, "--repeats", 5)
    return time.perf_counter() - began


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sim", type=pathlib.Path, help="the headroom-sim program")
    arguments = parser.parse_args()
    sim, data = arguments.sim, os.environ.get("HEADROOM_DATA")
    out = {}
    with tempfile.TemporaryDirectory() as folder:
        if data:
            name, path = "ml-100k", pathlib.Path(data) / "ml-100k" / "u.data"
            flags = ["--dataset", name, "--path", path]
        else:
            print("HEADROOM_DATA is not set: a generated city of ML-100K's size instead")
            name, path = "generated", pathlib.Path(folder) / "city.tsv"
            flags = ["--dataset", name, "--users", 943, "--items", 1682]
            run([sim, "data", *flags, "--export", path])
        best, losses = beside_numpy(sim, path, flags)
    print(f"Cap-PMF on {name}, alpha 0.2, {THREADS} threads, best of {TURNS} turns")
    for who in best:
        print(f"  {who:15} {1e3 * best[who]:8.3f} ms an iteration, Headroom "
              f"{best[who] / best['Headroom']:4.1f} times faster   "
              f"(capacity loss {losses[who]:.3f})")
    out.update(dataset=name, headroom_ms=1e3 * best["Headroom"],
               times_faster=best["NumPy"] / best["Headroom"],
               times_faster_than_in_place=best["NumPy in place"] / best["Headroom"])
    if data:
        poi = ["--dataset", "foursquare", "--path",
               pathlib.Path(data) / "foursquare_singapore_yuan2013"]
        out["foursquare_sweep_seconds"] = sweep(sim, poi)
        print(f"Cap-GeoMF on Foursquare, six alphas, five splits each, to the paper's stop rule: "
              f"{out['foursquare_sweep_seconds']:.0f} s")
        large = headroom(sim, "--dataset", "ml-1m", "--path", pathlib.Path(data) / "ml-1m",
                         "--method", "pmf", "--repeats", 1, "--iterations", 20)
        out["ml_1m_megabytes"] = large["peak_megabytes"]
        print(f"Cap-PMF on ML-1M: {large['peak_megabytes']:.0f} MB at most")
    print(json.dumps(out))


if __name__ == "__main__":
    main()
