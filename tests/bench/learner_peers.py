#!/usr/bin/env python3
"""The online learner beside others, in one run on one core: `scripts/bench learner` calls this.

Two tables and the ratios, then one JSON object. Online: every event is predicted, then learned, in
the order of time. Time to a test AUC: several epochs over a random half of each user's items. All
seconds are of CPU and of learning alone, but noisy on a shared machine: look at the ratios.
"""
import argparse
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
TARGETS = ("0.90", "0.92", "0.925")
ONLINE = {"biased_mf": ("River BiasedMF, log loss", "river"), "fm": ("River FMClassifier", "river"),
          "vw": ("Vowpal Wabbit --rank 16", "vowpalwabbit")}
EPOCHS = {"libmf": ("LIBMF BPR", "libmf"), "cornac": ("Cornac BPR", "cornac")}
BARE = ("--bare",)
# The paper's BPR plus item biases, the same on all data: from a grid of 96 on ML-100K and a few minutes
# of random search on both sets.
SEVERAL_EPOCHS = ("--bare", "--set", "learner.method=bpr", "--set", "learner.bias=on",
                  "--set", "learner.negatives=2", "--set", "learner.draws=2",
                  "--set", "learner.user_step=0.4", "--set", "learner.item_step=0.2",
                  "--set", "learner.bias_step=0.2", "--set", "learner.start_squares=0.7")


def run(command):
    """On one core; the JSON object on the last line of what it prints."""
    words = ["taskset", "-c", "0", *command]
    one_thread = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run([str(word) for word in words], check=True, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          env={**os.environ, **one_thread})
    return json.loads(done.stdout.strip().splitlines()[-1])


def peers(table):
    """Those that are installed; the others are named."""
    for key, (name, module) in table.items():
        if importlib.util.find_spec(module):
            yield key, name
        else:
            print(f"  {name}: not installed, left out")


def headroom(sim, command, flags, form=()):
    return run([sim, command, *flags, *form, "--threads", 1, "--json"])


def online(sim, flags, file):
    out = {name: run([sys.executable, HERE / "online_peers.py", key, file])
           for key, name in peers(ONLINE)}
    ours = headroom(sim, "quality", flags)
    out["running item count"] = {key: ours[f"count_{key}"]
                                 for key in ("auc", "auc_second_half", "hr10")}
    out["Headroom, the paper's bare BPR"] = headroom(sim, "quality", flags, BARE)
    out["Headroom"] = ours
    for one in out.values():
        if "cpu_seconds" in one:
            one.setdefault("events", ours["events"])
            one["events_per_second"] = one["events"] / one["cpu_seconds"]
    return out


def print_online(name, rows):
    print(f"\nOnline on {name}            events/s       AUC  2nd half     HR@10")
    for who, row in rows.items():
        speed = f"{row['events_per_second']:12,.0f}" if "events_per_second" in row else " " * 12
        hits = row.get("hr10_events", row.get("events"))
        sampled = f"  (of {hits} events)" if hits != row.get("events") else ""
        print(f"  {who:30}{speed}{row['auc']:10.4f}{row['auc_second_half']:10.4f}"
              f"{row['hr10']:10.4f}{sampled}")


def epochs(sim, flags, file):
    out = {name: run([sys.executable, HERE / "epoch_peers.py", key, file])
           for key, name in peers(EPOCHS)}
    out["Headroom"] = headroom(sim, "epochs", flags, SEVERAL_EPOCHS)
    return out


def print_epochs(name, rows):
    print(f"\nCPU seconds to test AUC on {name}" + "".join(f"{target:>9}" for target in TARGETS)
          + "     best")
    for who, row in rows.items():
        cells = (row["cpu_seconds_to"][target] for target in TARGETS)
        words = "".join("        -" if cell is None else f"{cell:9.3f}" for cell in cells)
        print(f"  {who:{25 + len(name)}}{words}{row['best_auc']:9.4f}")


def ratios(tables):
    """How many times faster than each peer, where both have a figure."""
    out = {}
    for name, rows in tables["online"].items():
        for who, row in rows.items():
            if who != "Headroom" and "events_per_second" in row:
                out[f"{name}, events/s: {who}"] = (rows["Headroom"]["events_per_second"]
                                                    / row["events_per_second"])
    for name, rows in tables["epochs"].items():
        mine = rows["Headroom"]["cpu_seconds_to"]
        for who, row in rows.items():
            for target in TARGETS:
                theirs = row["cpu_seconds_to"][target]
                if who != "Headroom" and theirs and mine[target]:
                    out[f"{name}, to AUC {target}: {who}"] = theirs / mine[target]
    return out


def data_sets():
    """Name and flags of each: MovieLens, or a generated city of ML-100K's size."""
    data = os.environ.get("HEADROOM_DATA")
    if not data:
        print("HEADROOM_DATA is not set: a generated city of ML-100K's size instead")
        return [("generated", ["--dataset", "generated", "--users", 943, "--items", 1682])]
    found = [name for name in ("ml-100k", "ml-1m") if (pathlib.Path(data) / name).is_dir()]
    return [(name, ["--dataset", name, "--path", pathlib.Path(data) / name]) for name in found]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sim", type=pathlib.Path, help="the headroom-sim program")
    sim = parser.parse_args().sim
    sys.stdout.reconfigure(line_buffering=True)  # each table when it is there
    tables = {"online": {}, "epochs": {}}
    with tempfile.TemporaryDirectory() as folder:
        for number, (name, flags) in enumerate(data_sets()):
            file = pathlib.Path(folder) / f"{name}.tsv"
            run([sim, "data", *flags, "--json", "--export", file])
            if number == 0:  # River takes minutes on the larger ones
                tables["online"][name] = online(sim, flags, file)
                print_online(name, tables["online"][name])
            tables["epochs"][name] = epochs(sim, flags, file)
            print_epochs(name, tables["epochs"][name])
    tables["times_faster"] = ratios(tables)
    print("\nHeadroom, so many times as fast as")
    for what, times in tables["times_faster"].items():
        print(f"  {times:8.2f}   {what}")
    for rows in (*tables["online"].values(), *tables["epochs"].values()):
        for row in rows.values():
            row.pop("manifest", None)
            row.pop("points", None)
    print(json.dumps(tables))


if __name__ == "__main__":
    main()
