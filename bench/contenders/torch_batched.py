#!/usr/bin/env python3
"""The same work vectorised over runs and episodes, gradients by hand: the fastest we got from torch.

Differences from the plain loop, none of which changes a result:
- all runs (and, for the belief, all episodes) are one batch; the belief's scan runs over episodes;
- the gradient of a softmax row is written down (share of the batch x probability - counts), no autograd;
- test sets are tables of counts; samples come from searchsorted on cumulative tables;
- a belief episode computes only the rows that both of its mini-batches visit.
"""

import contender
import continuous
import linear_gaussian
import mlp
from contender import ADAPTATION_STEPS, statistic

import torch

DOUBLE = torch.float64
torch.set_default_dtype(DOUBLE)  # also of what integers times a number become


def draw_dirichlet(*shape):
    """Dirichlet(1) along the last axis: exponentials, normalised."""
    e = torch.empty(shape).exponential_()
    return e.div_(e.sum(-1, keepdim=True))


def cumulate(p):
    c = p.cumsum(-1)
    c[..., -1] = 1.0
    return c


class Worlds:
    """A -> B, one world per run."""

    def __init__(self, runs, levels):
        self.runs, self.levels = runs, levels
        self.p_a = draw_dirichlet(runs, levels)
        self.p_b_given_a = draw_dirichlet(runs, levels, levels)
        # Row a holds a + cumulative probabilities, so that one search over the whole table will do.
        rows = torch.arange(levels)[:, None]
        self.search_b = (rows + cumulate(self.p_b_given_a)).reshape(runs, -1)

    def sample_b(self, a):
        """a is [run][...] flattened to [run][sample]."""
        place = torch.searchsorted(self.search_b, a + torch.rand(a.shape))
        return (place - a * self.levels).clamp_(max=self.levels - 1)

    def sample(self, p_a, rows):
        a = torch.searchsorted(cumulate(p_a), torch.rand(self.runs, rows))
        return a, self.sample_b(a)

    def sample_episodes(self, episodes, rows):
        """One shift of the cause per episode; [run x episode][row]."""
        cause = cumulate(draw_dirichlet(self.runs * episodes, self.levels))
        a = torch.searchsorted(cause, torch.rand(self.runs * episodes, rows))
        b = self.sample_b(a.reshape(self.runs, -1))
        return a, b.reshape(a.shape)

    def factors(self):
        """log P(A), log P(B | A); log P(B), log P(A | B)."""
        log_a, log_b_given_a = self.p_a.log(), self.p_b_given_a.log()
        log_joint = log_a[:, :, None] + log_b_given_a
        log_b = torch.logsumexp(log_joint, dim=1)
        backward = (log_joint - log_b[:, None, :]).transpose(1, 2).contiguous()
        return (log_a, log_b_given_a), (log_b, backward)


class Learner:
    """One hypothesis in the belief experiment: scores of two mini-batches, one step between them."""

    def __init__(self, log_cause, log_conditional, rate):
        self.levels, self.rate = log_cause.shape[1], rate
        self.log_cause, self.cause = log_cause, log_cause.exp()
        self.log_rows = log_conditional.reshape(-1, self.levels)
        self.rows = self.log_rows.exp()

    def score(self, run, cause, effect):
        """Log-likelihood of an episode; cause and effect are [episode][step][example]."""
        row = run[:, None, None] * self.levels + cause
        exact = self.log_cause.view(-1)[row] + self.log_rows.view(-1)[row * self.levels + effect]
        total = exact.sum((1, 2))
        total += self.gain_of_cause(run, cause)
        total += self.gain_of_effect(row, effect)
        return total

    def gain_of_cause(self, run, cause):
        """What the step between the batches adds to the second one's score: the marginal's part."""
        batch = cause.shape[2]
        push = self.cause[run].mul_(-self.rate)
        share = torch.full_like(cause[:, 0], self.rate / batch, dtype=DOUBLE)
        push.scatter_add_(1, cause[:, 0], share)
        weight = (self.cause[run] * push.exp()).sum(1)
        return push.gather(1, cause[:, 1]).sum(1) - batch * weight.log()

    def gain_of_effect(self, row, effect):
        """The same of the conditional: only rows that both batches visit have moved."""
        batch = row.shape[2]
        same = row[:, 1, :, None] == row[:, 0, None, :]  # [episode][second][first]
        seen = same.sum(2)
        episode, second = seen.nonzero(as_tuple=True)
        share = self.rate / batch
        p = self.rows[row[episode, 1, second]]
        push = p * (seen[episode, second, None] * -share)
        push.scatter_add_(1, effect[episode, 0], same[episode, second] * share)
        weight = (p * push.exp_()).sum(1)
        moved = push.gather(1, effect[episode, 1, second, None])[:, 0]
        gain = torch.zeros(row.shape[0])
        return gain.index_add_(0, episode, (moved / weight).log_())


def scan_belief(delta):
    """gamma by RMSprop, all runs at once; delta is [run][episode]."""
    gamma = torch.zeros(delta.shape[0])
    square, beliefs = torch.zeros_like(gamma), torch.empty_like(delta)
    for e, evidence in enumerate(delta.t().contiguous()):
        gradient = torch.sigmoid(gamma) - torch.sigmoid(gamma + evidence)
        square.mul_(0.99).addcmul_(gradient, gradient, value=0.01)
        gamma.addcdiv_(gradient, square.sqrt().add_(1e-8), value=-0.01)
        beliefs[:, e] = gamma
    return beliefs.sigmoid_()


def with_marginal(joint):
    """Counts [run][a][b] -> [direction][run][row][level], row 0 being the marginal of the cause."""
    both = torch.stack((joint, joint.transpose(1, 2)))
    return torch.cat((both.sum(3)[:, :, None, :], both), dim=2)


class Trainer:
    """Both hypotheses of every run in one table: [direction][run][row][level]."""

    def __init__(self, task, w, test):
        self.task, self.w, self.test = task, w, test
        self.square = torch.zeros_like(w)

    def count(self, a, b):
        """Tables of one mini-batch, as shares of it."""
        cells = torch.zeros(a.shape[0], self.task.levels**2)
        ones = torch.full(a.shape, 1.0 / a.shape[1])
        cells.scatter_add_(1, a * self.task.levels + b, ones)
        return with_marginal(cells.view(-1, self.task.levels, self.task.levels))

    def step(self, a, b):
        """Differences of the batch's and the test set's mean log-likelihoods before the step."""
        log_p, counts = torch.log_softmax(self.w, dim=3), self.count(a, b)
        train = torch.einsum("dijk,dijk->di", counts, log_p)
        test = torch.einsum("dijk,dijk->di", self.test, log_p)
        self.move(log_p.exp_().mul_(counts.sum(3, keepdim=True)).sub_(counts))
        return train[0] - train[1], test

    def move(self, gradient):
        rate = self.task.learning_rate
        if self.task.optimizer == "sgd":
            self.w.sub_(gradient, alpha=rate)
            return
        self.square.mul_(0.99).addcmul_(gradient, gradient, value=0.01)
        self.w.addcdiv_(gradient, self.square.sqrt().add_(1e-8), value=-rate)


def mean_counts(task, a, b):
    return Trainer(task, torch.empty(0), None).count(a, b)


# Where an episode takes long: runs and their length, of a pass and of a check.
OWN_SIZES = {
    "continuous": {10: {"pass": (1, 20), "check": (24, 10)}},
    "encoder": {8: {"pass": (8, 3), "check": (32, 8)}},
    "mlp": {10: {"pass": (16, 3), "check": (32, 12)}, 100: {"pass": (2, 1), "check": (4, 2)}},
}


class TorchBatched:
    # Runs of a pass are one batch: as many as gave the least time per unit.

    def __init__(self, options):
        self.checks = options.check

    def pass_size(self, task, quick):
        if task.kind == "belief":
            return 100, 200 if quick else 1000
        if task.kind == "adaptation":
            return 100 if quick else 400, ADAPTATION_STEPS
        if task.kind == "linear_gaussian":
            return {10: (2, 200), 100: (1, 50)}[task.levels]
        if task.kind in OWN_SIZES:
            return OWN_SIZES[task.kind][task.levels]["pass"]
        return {10: (400, 50), 100: (5, 40)}[task.levels]

    def warm_up(self, task):
        if task.kind in OWN_SIZES:
            return 1, 1
        return (1, 10) if task.kind == "linear_gaussian" else (10, 20)

    def check_size(self, task, quick):
        runs = 100 if quick else 400
        if task.kind == "belief":
            return runs, 20
        if task.kind == "adaptation":
            return runs, 21
        if task.kind == "linear_gaussian":
            return {10: (runs, 10), 100: (runs // 10, 4)}[task.levels]
        if task.kind in OWN_SIZES:
            own, length = OWN_SIZES[task.kind][task.levels]["check"]
            return max(3, own // (4 if quick else 1)), length
        return {10: (runs, 12), 100: (runs // 20, 10)}[task.levels]

    def linear_gaussian(self, task, runs, episodes):
        return linear_gaussian.prepare(linear_gaussian.batched_run, task, runs, episodes)

    def continuous(self, task, runs, episodes):
        return continuous.batched_belief_work(task, runs, episodes, self.training(continuous))

    def encoder(self, task, runs, iterations):
        return continuous.batched_encoder_work(task, runs, iterations)

    def mlp(self, task, runs, episodes):
        return mlp.batched_work(task, runs, episodes, self.training(mlp))

    def training(self, work):
        """Modules are trained before a check, and not before a pass that is timed."""
        return work.TRAINING if self.checks else 1

    def belief(self, task, runs, episodes):
        worlds = Worlds(runs, task.levels)

        def work():
            return belief_statistics(task, belief_runs(task, worlds, episodes))

        return work

    def adaptation(self, task, runs, steps):
        worlds = Worlds(runs, task.levels)

        def work():
            return adaptation_statistics(adaptation_runs(task, worlds, steps))

        return work

    def same_distribution(self, task, runs, steps):
        worlds = Worlds(runs, task.levels)
        test = mean_counts(task, *worlds.sample(worlds.p_a, task.test_rows))

        def work():
            return training_statistics(task, *training_runs(task, worlds, test, steps))

        return work


def belief_runs(task, worlds, episodes):
    """Log-odds per run and episode, and the beliefs they lead to."""
    forward, backward = (Learner(*f, task.learning_rate) for f in worlds.factors())
    chunk = max(1, {10: 2000, 100: 5000}[task.levels] // worlds.runs)
    deltas = []
    for begin in range(0, episodes, chunk):
        count = min(chunk, episodes - begin)
        a, b = worlds.sample_episodes(count, 2 * task.batch)
        a, b = a.view(-1, 2, task.batch), b.view(-1, 2, task.batch)
        run = torch.arange(worlds.runs).repeat_interleave(count)
        delta = forward.score(run, a, b) - backward.score(run, b, a)
        deltas.append(delta.view(worlds.runs, count))
    delta = torch.cat(deltas, dim=1)
    return scan_belief(delta), delta


def belief_statistics(task, runs):
    beliefs, delta = runs
    last = delta.shape[1]
    return [
        statistic(f"belief/N={task.levels}", last, beliefs[:, -1]),
        statistic(f"belief-bayes/N={task.levels}", last, torch.sigmoid(delta.sum(1))),
    ]


def adaptation_runs(task, worlds, steps):
    """Mean test log-likelihoods, [step][direction][run]."""
    shifted = draw_dirichlet(worlds.runs, task.levels)
    test = mean_counts(task, *worlds.sample(shifted, task.test_rows))
    w = torch.stack([torch.cat((c[:, None, :], t), dim=1) for c, t in worlds.factors()])
    trainer = Trainer(task, w, test)
    return torch.stack(
        [trainer.step(*worlds.sample(shifted, task.batch))[1] for _ in range(steps)]
    )


def adaptation_statistics(test):
    points = [x for x in (1, 5, 10, 20) if x < len(test)]
    out = [statistic("adaptation/gap", x, test[x, 0] - test[x, 1]) for x in points]
    return out + [statistic("adaptation/A->B", x, test[x, 0]) for x in points]


def training_runs(task, worlds, test, steps):
    """Differences of the log-likelihoods, training and test, [step][run]."""
    trainer = Trainer(task, torch.zeros_like(test), test)
    pairs = [trainer.step(*worlds.sample(worlds.p_a, task.batch)) for _ in range(steps)]
    train = torch.stack([train for train, _ in pairs])
    return train, torch.stack([test[0] - test[1] for _, test in pairs])


def training_statistics(task, train, test):
    last = len(train)
    return [
        statistic(f"same-distribution/{what}/N={task.levels}", x, curve[x - 1])
        for what, curve in (("train", train), ("test", test))
        for x in (2, 3, last // 2, last)  # the first steps show the learning rate best
    ]


if __name__ == "__main__":
    contender.main(TorchBatched)
