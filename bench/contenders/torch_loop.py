#!/usr/bin/env python3
"""The plain loop a researcher would write: modules, autograd, torch.optim, one run after the other.

Tables are logits in double precision; a log-probability is w - logsumexp(w), of the row that each
example needs. With --table each table is normalised once and then indexed: the same numbers, and less
arithmetic wherever there are more examples than rows.
"""

import contender
import continuous
import linear_gaussian
import mlp
from contender import ADAPTATION_STEPS, statistic

import torch
from torch import nn
from torch.distributions import Categorical, Dirichlet

DOUBLE = torch.float64


class Marginal(nn.Module):
    def __init__(self, levels):
        super().__init__()
        self.w = nn.Parameter(torch.zeros(levels, dtype=DOUBLE))

    def forward(self, x):
        return self.w[x] - torch.logsumexp(self.w, dim=0)


class Conditional(nn.Module):
    """P(effect | cause): a row of logits per cause."""

    normalise_first = False

    def __init__(self, levels):
        super().__init__()
        self.w = nn.Parameter(torch.zeros(levels, levels, dtype=DOUBLE))

    def forward(self, cause, effect):
        if self.normalise_first:
            return torch.log_softmax(self.w, dim=1)[cause, effect]
        return self.w[cause, effect] - torch.logsumexp(self.w[cause], dim=1)


class Factorisation(nn.Module):
    """P(cause) P(effect | cause) for either choice of the cause."""

    def __init__(self, levels, reverse):
        super().__init__()
        self.reverse = reverse
        self.marginal = Marginal(levels)
        self.conditional = Conditional(levels)

    def forward(self, a, b):
        cause, effect = (b, a) if self.reverse else (a, b)
        return self.marginal(cause) + self.conditional(cause, effect)

    def set(self, log_cause, log_conditional):
        self.marginal.w.data.copy_(log_cause)
        self.conditional.w.data.copy_(log_conditional)


class World:
    """A -> B, both with `levels` levels, every distribution from Dirichlet(1)."""

    def __init__(self, levels):
        self.prior = Dirichlet(torch.ones(levels, dtype=DOUBLE))
        self.p_a = self.prior.sample()
        self.p_b_given_a = self.prior.sample((levels,))

    def factors(self):
        """log P(A), log P(B | A); log P(B), log P(A | B)."""
        log_a, log_b_given_a = self.p_a.log(), self.p_b_given_a.log()
        log_joint = log_a[:, None] + log_b_given_a
        log_b = torch.logsumexp(log_joint, dim=0)
        return (log_a, log_b_given_a), (log_b, (log_joint - log_b).t())

    def shift_cause(self):
        self.p_a = self.prior.sample()

    def sample(self, rows):
        a = Categorical(self.p_a).sample((rows,))
        return a, Categorical(self.p_b_given_a[a]).sample()


class Pair:
    """Both hypotheses, learning side by side."""

    def __init__(self, task):
        self.task = task
        self.forward = Factorisation(task.levels, reverse=False)
        self.backward = Factorisation(task.levels, reverse=True)
        self.restart()

    def restart(self, factors=None):
        """A fresh optimiser, and exact modules where a world's factors are given."""
        if factors is not None:
            self.forward.set(*factors[0])
            self.backward.set(*factors[1])
        parameters = [*self.forward.parameters(), *self.backward.parameters()]
        kind = torch.optim.SGD if self.task.optimizer == "sgd" else torch.optim.RMSprop
        self.optimizer = kind(parameters, lr=self.task.learning_rate)

    def learn(self, a, b):
        """One step; returns the batch's log-likelihoods before it."""
        log_forward, log_backward = self.forward(a, b), self.backward(a, b)
        loss = -log_forward.mean() - log_backward.mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return log_forward.detach().sum(), log_backward.detach().sum()

    def evaluate(self, a, b):
        with torch.no_grad():
            return self.forward(a, b).mean().item(), self.backward(a, b).mean().item()


class Belief(nn.Module):
    """gamma, learnt by RMSprop from the regret of the mixture."""

    def __init__(self):
        super().__init__()
        self.gamma = nn.Parameter(torch.zeros((), dtype=DOUBLE))
        self.optimizer = torch.optim.RMSprop([self.gamma], lr=0.01)

    def learn(self, log_forward, log_backward):
        log_prior = nn.functional.logsigmoid
        loss = -torch.logaddexp(
            log_prior(self.gamma) + log_forward, log_prior(-self.gamma) + log_backward
        )
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return torch.sigmoid(self.gamma).item()


# Where an episode takes long: runs and their length, of a pass and of a check.
OWN_SIZES = {
    "continuous": {10: {"pass": (1, 5), "check": (24, 10)}},
    "encoder": {8: {"pass": (1, 5), "check": (24, 8)}},
    "mlp": {10: {"pass": (1, 5), "check": (16, 12)}, 100: {"pass": (1, 1), "check": (3, 2)}},
}


class TorchLoop:
    def __init__(self, options):
        Conditional.normalise_first = options.table
        self.checks = options.check

    # Runs and their length: a pass of about a second, and a sample that shows a wrong formula.

    def pass_size(self, task, quick):
        less = 5 if quick else 1
        if task.kind == "belief":
            return 1, 500 // less
        if task.kind == "adaptation":
            return 1, ADAPTATION_STEPS
        if task.kind == "linear_gaussian":
            return 1, {10: 50, 100: 10}[task.levels] // less
        if task.kind in OWN_SIZES:
            return OWN_SIZES[task.kind][task.levels]["pass"]
        return 1, {10: 50, 100: 5}[task.levels] // less

    def warm_up(self, task):
        if task.kind in OWN_SIZES:
            return 1, 1
        return 1, 5 if task.levels == 100 and task.kind != "belief" else 20

    def check_size(self, task, quick):
        less = 4 if quick else 1
        if task.kind == "belief":
            return 120 // less, 20
        if task.kind == "adaptation":
            return 120 // less, 21
        if task.kind == "linear_gaussian":
            return {10: (40 // less, 10), 100: (12 // less + 1, 4)}[task.levels]
        if task.kind in OWN_SIZES:
            runs, length = OWN_SIZES[task.kind][task.levels]["check"]
            return max(3, runs // less), length
        return {10: (48 // less, 12), 100: (12 // less + 1, 10)}[task.levels]

    def belief(self, task, runs, episodes):
        worlds = [World(task.levels) for _ in range(runs)]

        def work():
            return belief_statistics(task, [belief_run(task, w, episodes) for w in worlds])

        return work

    def linear_gaussian(self, task, runs, episodes):
        return linear_gaussian.prepare(linear_gaussian.loop_run, task, runs, episodes)

    def continuous(self, task, runs, episodes):
        return continuous.loop_belief_work(task, runs, episodes, self.training(continuous))

    def encoder(self, task, runs, iterations):
        return continuous.loop_encoder_work(task, runs, iterations)

    def mlp(self, task, runs, episodes):
        return mlp.loop_work(task, runs, episodes, self.training(mlp))

    def training(self, work):
        """Modules are trained before a check, and not before a pass that is timed."""
        return work.TRAINING if self.checks else 1

    def adaptation(self, task, runs, steps):
        worlds = [World(task.levels) for _ in range(runs)]

        def work():
            return adaptation_statistics([adaptation_run(task, w, steps) for w in worlds])

        return work

    def same_distribution(self, task, runs, steps):
        worlds = [World(task.levels) for _ in range(runs)]
        tests = [world.sample(task.test_rows) for world in worlds]

        def work():
            curves = [training_run(task, w, test, steps) for w, test in zip(worlds, tests)]
            return training_statistics(task, curves)

        return work


def belief_run(task, world, episodes):
    """Beliefs and log-odds after each episode."""
    pair, belief, truth = Pair(task), Belief(), world.factors()
    beliefs, odds = [], []
    for _ in range(episodes):
        pair.restart(truth)
        world.shift_cause()
        log_forward = log_backward = 0.0
        for _ in range(2):
            forward, backward = pair.learn(*world.sample(task.batch))
            log_forward, log_backward = log_forward + forward, log_backward + backward
        beliefs.append(belief.learn(log_forward, log_backward))
        odds.append((log_forward - log_backward).item())
    return beliefs, odds


def belief_statistics(task, runs):
    last = len(runs[0][0])
    bayes = [torch.sigmoid(torch.tensor(sum(odds))) for _, odds in runs]
    return [
        statistic(f"belief/N={task.levels}", last, [beliefs[-1] for beliefs, _ in runs]),
        statistic(f"belief-bayes/N={task.levels}", last, bayes),
    ]


def adaptation_run(task, world, steps):
    """Mean test log-likelihoods of both models before each step."""
    pair = Pair(task)
    pair.restart(world.factors())
    world.shift_cause()
    test = world.sample(task.test_rows)
    curves = []
    for _ in range(steps):
        curves.append(pair.evaluate(*test))
        pair.learn(*world.sample(task.batch))
    return curves


def adaptation_statistics(runs):
    points = [x for x in (1, 5, 10, 20) if x < len(runs[0])]
    out = [statistic("adaptation/gap", x, [run[x][0] - run[x][1] for run in runs]) for x in points]
    return out + [statistic("adaptation/A->B", x, [run[x][0] for run in runs]) for x in points]


def training_run(task, world, test, steps):
    """Differences of the log-likelihoods, training and test, before each step."""
    pair, curves = Pair(task), []
    for _ in range(steps):
        forward, backward = pair.evaluate(*test)
        log_forward, log_backward = pair.learn(*world.sample(task.batch))
        curves.append(((log_forward - log_backward).item() / task.batch, forward - backward))
    return curves


def training_statistics(task, runs):
    last = len(runs[0])
    return [
        statistic(f"same-distribution/{what}/N={task.levels}", x, [run[x - 1][i] for run in runs])
        for i, what in enumerate(("train", "test"))
        for x in (2, 3, last // 2, last)  # the first steps show the learning rate best
    ]


if __name__ == "__main__":
    contender.main(TorchLoop)
