#!/usr/bin/env python3
"""River and Vowpal Wabbit, test then learn: the protocol of `headroom-sim quality`, event by event.

Usage: online_peers.py PEER FILE, with FILE as `headroom-sim data --export` writes it. Every event
is learned as a like, and beside it one item that the user has not had so far as no like. The last
line of the output is a JSON object. Learning is timed in a pass of its own, in CPU seconds.
"""
import argparse
import json
import os
import random
import tempfile
import time

import numpy

RANK, TOP = 16, 10


class Stream:
    """Users, items, and for each event a negative to judge it by and one to learn."""

    def __init__(self, path, limit, seed=1):
        draw = random.Random(seed)
        lines = [line.split("\t")[:2] for line in open(path, encoding="utf-8")]
        numbers = {}
        for _, item in lines:
            numbers.setdefault(item, len(numbers))
        self.items = len(numbers)
        self.events, had = [], {}
        for user, name in lines[:limit or None]:
            item, mine = numbers[name], had.setdefault(user, set())
            mine.add(item)
            if len(mine) < self.items:
                drawn = [self.unseen(draw, mine) for _ in range(2)]
                self.events.append((user, item, *drawn))

    def unseen(self, draw, mine):
        while True:
            item = draw.randrange(self.items)
            if item not in mine:
                return item


class BiasedMF:
    """River's, on the logistic loss; the best of 16 settings on ML-100K."""

    def __init__(self, items):
        from river import optim, reco
        self.items = range(items)
        self.model = reco.BiasedMF(
            n_factors=RANK, loss=optim.losses.Log(), bias_optimizer=optim.AdaGrad(0.2),
            latent_optimizer=optim.AdaGrad(0.3), l2_latent=0.02,
            latent_initializer=optim.initializers.Normal(sigma=0.1, seed=1))
        self.factors = numpy.array([self.model.i_latents[item] for item in self.items])
        self.biases = numpy.zeros(items)

    def score(self, user, item):
        return self.model.predict_one(user, item)

    def learn(self, user, item, like):
        self.model.learn_one(user, item, like)

    def refresh(self, item):
        self.factors[item] = self.model.i_latents[item]
        self.biases[item] = self.model.i_biases[item]

    def score_all(self, user):  # but for what is the same for all items
        return self.factors @ self.model.u_latents[user] + self.biases


class FactorizationMachine:
    """River's FMClassifier; the best of 5 settings on ML-100K."""

    def __init__(self, items):
        from river import facto, optim
        self.model = facto.FMClassifier(
            n_factors=RANK, weight_optimizer=optim.AdaGrad(0.2), latent_optimizer=optim.SGD(0.3),
            l2_latent=0.02, sample_normalization=False, intercept_lr=0.01,
            latent_initializer=optim.initializers.Normal(sigma=0.1, seed=1))
        self.names = [str(item) for item in range(items)]
        self.factors = numpy.array([self.model.latents["i_" + name] for name in self.names])
        self.biases = numpy.zeros(items)

    def score(self, user, item):
        return self.model._raw_dot({"u_" + user: 1, "i_" + self.names[item]: 1})

    def learn(self, user, item, like):
        self.model.learn_one({"u": user, "i": self.names[item]}, like == 1)

    def refresh(self, item):
        self.factors[item] = self.model.latents["i_" + self.names[item]]
        self.biases[item] = self.model.weights["i_" + self.names[item]]

    def score_all(self, user):
        return self.factors @ self.model.latents["u_" + user] + self.biases


class VowpalWabbit:
    """Its matrix factorization; other settings were not tried. To rank, every item is an example:
    too slow for every event."""
    FLAGS = (f"--rank {RANK} -q ui --loss_function logistic --learning_rate 0.1 --power_t 0 "
             "--l2 1e-5 --quiet")
    HITS_EVERY = 100

    def __init__(self, items):
        from vowpalwabbit import Workspace
        self.items = items
        self.model = Workspace(self.FLAGS)

    def score(self, user, item):
        return self.model.predict(f"|u {user} |i {item}")

    def learn(self, user, item, like):
        self.model.learn(f"{1 if like else -1} |u {user} |i {item}")

    def refresh(self, item):
        pass

    def score_all(self, user):
        return numpy.array([self.score(user, item) for item in range(self.items)])

    @classmethod
    def time_learning(cls, stream):
        """By its own reader of files, which is what it is fast with."""
        from vowpalwabbit import Workspace
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "examples")
            with open(path, "w", encoding="utf-8") as file:
                for user, item, _, other in stream.events:
                    file.write(f"1 |u {user} |i {item}\n-1 |u {user} |i {other}\n")
            began = time.process_time()
            Workspace(f"{cls.FLAGS} -d {path}").finish()
            return time.process_time() - began


def hit_chance(scores, item, past):
    mine, rest = scores[item], scores[past]
    above = (scores > mine).sum() - (rest > mine).sum()
    tied = (scores == mine).sum() - (rest == mine).sum()
    return min(1.0, max(0, TOP - above) / tied)


def judge(model, stream, hits_every):
    won, hits, pasts = [], [], {}
    for number, (user, item, negative, other) in enumerate(stream.events):
        positive_score, negative_score = model.score(user, item), model.score(user, negative)
        won.append(0.5 if positive_score == negative_score else positive_score > negative_score)
        past = pasts.setdefault(user, [])
        if number % hits_every == 0 and item not in past:
            hits.append(hit_chance(model.score_all(user), item, past))
        model.learn(user, item, 1)
        model.learn(user, other, 0)
        model.refresh(item)
        model.refresh(other)
        past.append(item)
    return {"auc": numpy.mean(won), "auc_second_half": numpy.mean(won[len(won) // 2:]),
            "hr10": numpy.mean(hits), "hr10_events": len(hits)}


def time_learning(peer, stream):
    if hasattr(peer, "time_learning"):
        return peer.time_learning(stream)
    model = peer(stream.items)
    began = time.process_time()
    for user, item, _, other in stream.events:
        model.learn(user, item, 1)
        model.learn(user, other, 0)
    return time.process_time() - began


PEERS = {"biased_mf": BiasedMF, "fm": FactorizationMachine, "vw": VowpalWabbit}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("peer", choices=PEERS)
    parser.add_argument("file")
    parser.add_argument("--limit", type=int, default=0, help="the first so many events")
    arguments = parser.parse_args()
    peer, stream = PEERS[arguments.peer], Stream(arguments.file, arguments.limit)
    out = judge(peer(stream.items), stream, getattr(peer, "HITS_EVERY", 1))
    out["cpu_seconds"] = time_learning(peer, stream)
    out["events_per_second"] = len(stream.events) / out["cpu_seconds"]
    print(json.dumps(out))


if __name__ == "__main__":
    main()
