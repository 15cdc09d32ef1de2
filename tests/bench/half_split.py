"""A random half of each user's items to learn from, the other half and 100 items that the user has
in neither to test on: how `headroom-sim epochs` splits, for programs in Python."""
import numpy


def dense(words):
    """Numbers from 0 on, in the order of first appearance, and how many there are."""
    seen = {}
    return numpy.array([seen.setdefault(word, len(seen)) for word in words]), len(seen)


class HalfSplit:
    def __init__(self, path, seed=1, negatives=100):
        lines = [line.split("\t")[:2] for line in open(path, encoding="utf-8")]
        users, self.users = dense(user for user, _ in lines)
        items, self.items = dense(item for _, item in lines)
        random = numpy.random.default_rng(seed)
        keys = numpy.unique(users.astype(numpy.int64) * self.items + items)  # distinct, by user
        begins = numpy.searchsorted(keys, numpy.arange(self.users + 1) * self.items)
        train, self.tests = [], []
        for user in range(self.users):
            mine = random.permutation(keys[begins[user]:begins[user + 1]] - user * self.items)
            half = (len(mine) + 1) // 2
            unseen = numpy.setdiff1d(numpy.arange(self.items), mine)
            unseen = random.permutation(unseen)[:negatives]
            train.append(numpy.stack([numpy.full(half, user), mine[:half]], axis=1))
            if len(mine) > half and len(unseen) > 0:
                self.tests.append((user, mine[half:], unseen))
        self.train = random.permutation(numpy.concatenate(train))

    def auc(self, user_factors, item_factors, item_biases=None):
        """Mean over users of the share of pairs in the right order; ties count half."""
        total = 0.0
        for user, liked, unseen in self.tests:
            scores = item_factors @ user_factors[user]
            if item_biases is not None:
                scores = scores + item_biases
            others = numpy.sort(scores[unseen])
            below = numpy.searchsorted(others, scores[liked], side="left")
            upto = numpy.searchsorted(others, scores[liked], side="right")
            total += (below + upto).mean() / (2 * len(others))
        return total / len(self.tests)
