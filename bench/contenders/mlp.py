"""Edge beliefs over networks, for both contenders: the row "released" of experiments/belief-mlp.json.

Two variables of N levels, networks of 4 N rectified units on masked one-hot inputs, some training steps of
256 examples; an episode sets one variable to one level, then adapts 20 sampled graphs for 10 steps each on
one mini-batch of 256. The step of gamma is 0.01 here, so that a check sees it (bench sets ours the same).
"""

import math

import torch
from torch import nn

from contender import statistic

DOUBLE = torch.float64
BATCH, STEPS, GRAPHS = 256, 10, 20
TRAINING = 20  # steps before a belief is checked; one before it is timed
RATE, MOMENTUM = 0.001, 0.9
GAMMA_RATE, GAMMA_LIMIT = 0.01, 5.0


def kaiming(inputs, hidden, levels, bias):
    """W1, b1, W2, b2 over all one-hot inputs of both variables."""
    def uniform(*shape):
        return bias * (2 * torch.rand(*shape, dtype=DOUBLE) - 1)

    return (math.sqrt(2 / inputs) * torch.randn(inputs, hidden, dtype=DOUBLE), uniform(hidden),
            math.sqrt(2 / hidden) * torch.randn(hidden, levels, dtype=DOUBLE), uniform(levels))


class World:
    """A -> B, as tables of what its two networks say."""

    def __init__(self, levels):
        self.levels = levels
        w1, b1, w2, b2 = kaiming(2 * levels, 4 * levels, levels, 0.2)
        self.p_a = torch.softmax(torch.relu(b1) @ w2 + b2, 0)
        w1, b1, w2, b2 = kaiming(2 * levels, 4 * levels, levels, 0.2)
        self.p_b_given_a = torch.softmax(torch.relu(w1[:levels] + b1) @ w2 + b2, 1)

    def sample(self, rows):
        a = torch.multinomial(self.p_a, rows, replacement=True)
        return a, torch.multinomial(self.p_b_given_a[a], 1)[:, 0]

    def forced(self, rows):
        """One of the two variables is set to one level."""
        a, b = self.sample(rows)
        level = torch.randint(self.levels, ())
        if torch.rand(()) < 0.5:
            a = level.expand(rows)
            b = torch.multinomial(self.p_b_given_a[a], 1)[:, 0]
        else:
            b = level.expand(rows)
        return a, b


def cross_entropy_bits(gamma):
    """gamma is [effect][cause]; the truth has the edge A -> B only."""
    a_to_b, b_to_a = gamma[1][0], gamma[0][1]
    return (math.log1p(math.exp(-a_to_b)) + math.log1p(math.exp(b_to_a))) / (2 * math.log(2))


# ---- the plain loop ----


class Network(nn.Module):
    """P(child | the other variable), all one-hot inputs multiplied by a mask."""

    def __init__(self, levels):
        super().__init__()
        self.levels = levels
        values = kaiming(2 * levels, 4 * levels, levels, 0.1)
        self.w1, self.b1, self.w2, self.b2 = (nn.Parameter(v) for v in values)

    def forward(self, inputs, child):
        h = torch.relu(inputs @ self.w1 + self.b1)
        return torch.log_softmax(h @ self.w2 + self.b2, 1).gather(1, child[:, None])[:, 0]


def inputs_of(a, b, levels, mask):
    one_hot = nn.functional.one_hot
    return torch.cat((one_hot(a, levels) * mask[0], one_hot(b, levels) * mask[1]), 1).to(DOUBLE)


def nag(network):
    return torch.optim.SGD(network.parameters(), lr=RATE, momentum=MOMENTUM, nesterov=True)


def learn(network, optimizer, inputs, child):
    log_p = network(inputs, child).mean()
    optimizer.zero_grad()
    (-log_p).backward()
    optimizer.step()
    return log_p.item()


def masks(node, edge):
    """A node hears the other variable where there is an edge."""
    return (0, edge) if node == 0 else (edge, 0)


def loop_run(world, training, episodes):
    """Cross-entropies after each episode."""
    networks = [Network(world.levels), Network(world.levels)]
    for node, network in enumerate(networks):
        optimizer = nag(network)
        for _ in range(training):
            data = world.sample(BATCH)
            learn(network, optimizer, inputs_of(*data, world.levels, masks(node, 1)), data[node])
    optimizers = [nag(network) for network in networks]  # never put back
    start = [[p.detach().clone() for p in network.parameters()] for network in networks]
    gamma = nn.Parameter(0.2 * torch.rand(2, dtype=DOUBLE) - 0.1)  # per node: hears the other?
    gamma_step = torch.optim.SGD([gamma], lr=GAMMA_RATE, momentum=0.9, nesterov=True)
    curve = []
    for _ in range(episodes):
        data = world.forced(BATCH)
        belief = torch.sigmoid(gamma.detach())
        edges = torch.bernoulli(belief.repeat(GRAPHS, 1))
        log_lik = torch.zeros(GRAPHS, 2, dtype=DOUBLE)
        for k in range(GRAPHS):
            for node, network in enumerate(networks):
                with torch.no_grad():
                    for parameter, value in zip(network.parameters(), start[node]):
                        parameter.copy_(value)
                mask = masks(node, int(edges[k, node]))
                for _ in range(STEPS):
                    inputs = inputs_of(*data, world.levels, mask)
                    log_lik[k, node] += learn(network, optimizers[node], inputs, data[node])
        weights = torch.softmax(log_lik, 0)
        gamma.grad = STEPS * (weights * (belief - edges)).sum(0)
        gamma_step.step()
        with torch.no_grad():
            gamma.clamp_(-GAMMA_LIMIT, GAMMA_LIMIT)
        curve.append(cross_entropy_bits([[0, gamma[0].item()], [gamma[1].item(), 0]]))
    return curve


# ---- in batches: both nodes of all runs side by side, inputs gathered, gradients by hand ----


class Networks:
    """[network][...]; only the rows of W1 that a node may hear are kept."""

    def __init__(self, count, levels):
        drawn = [kaiming(2 * levels, 4 * levels, levels, 0.1) for _ in range(count)]
        self.parameters = [torch.stack([d[0][:levels] for d in drawn]),
                           torch.stack([d[1][None] for d in drawn]),
                           torch.stack([d[2] for d in drawn]),
                           torch.stack([d[3][None] for d in drawn])]
        self.restart()

    def restart(self):
        self.momentum = [torch.zeros_like(p) for p in self.parameters]

    def learn(self, parent, child, mask):
        """Mean log-likelihoods before the step; parent and child are [network][example]."""
        w1, b1, w2, b2 = self.parameters
        index = parent[..., None].expand(-1, -1, w1.shape[2])
        before = w1.gather(1, index).mul_(mask).add_(b1)
        h = before.clamp(min=0)
        log_p = torch.log_softmax(torch.baddbmm(b2, h, w2), -1)
        score = log_p.gather(2, child[..., None])[..., 0].mean(1)
        slope = log_p.exp_().div_(BATCH)
        slope.scatter_add_(2, child[..., None],
                           torch.full((*child.shape, 1), -1 / BATCH, dtype=DOUBLE))
        back = torch.bmm(slope, w2.transpose(1, 2)).mul_(before > 0)
        g1 = torch.zeros_like(w1).scatter_add_(1, index, back * mask)
        self.move([g1, back.sum(1, keepdim=True), torch.bmm(h.transpose(1, 2), slope),
                   slope.sum(1, keepdim=True)])
        return score

    def move(self, gradients):
        for p, m, g in zip(self.parameters, self.momentum, gradients):
            m.mul_(MOMENTUM).add_(g)
            p.add_(g, alpha=-RATE).add_(m, alpha=-RATE * MOMENTUM)


def columns(samples):
    """Parents and children of both nodes of all runs: nodes A of all runs first."""
    a = torch.stack([a for a, _ in samples])
    b = torch.stack([b for _, b in samples])
    return torch.cat((b, a)), torch.cat((a, b))


def batched_runs(worlds, training, episodes):
    runs, levels = len(worlds), worlds[0].levels
    networks = Networks(2 * runs, levels)
    for _ in range(training):
        parent, child = columns([world.sample(BATCH) for world in worlds])
        networks.learn(parent, child, 1.0)
    networks.restart()
    start = [p.clone() for p in networks.parameters]
    gamma = 0.2 * torch.rand(2 * runs, dtype=DOUBLE) - 0.1
    momentum, curves = torch.zeros_like(gamma), []
    for _ in range(episodes):
        parent, child = columns([world.forced(BATCH) for world in worlds])
        belief = torch.sigmoid(gamma)
        edges = torch.bernoulli(belief.repeat(GRAPHS, 1))
        log_lik = torch.zeros(GRAPHS, 2 * runs, dtype=DOUBLE)
        for k in range(GRAPHS):
            for p, value in zip(networks.parameters, start):
                p.copy_(value)
            mask = edges[k][:, None, None]
            for _ in range(STEPS):
                log_lik[k] += networks.learn(parent, child, mask)
        gradient = STEPS * (torch.softmax(log_lik, 0) * (belief - edges)).sum(0)
        momentum.mul_(0.9).add_(gradient)
        gamma.sub_(GAMMA_RATE * (gradient + 0.9 * momentum)).clamp_(-GAMMA_LIMIT, GAMMA_LIMIT)
        to_a, to_b = gamma[:runs].tolist(), gamma[runs:].tolist()
        curves.append([cross_entropy_bits([[0, x], [y, 0]]) for x, y in zip(to_a, to_b)])
    return [list(path) for path in zip(*curves)]


# ---- what both report ----


def statistics_of(task, runs):
    return [statistic(f"cross-entropy/released/N={task.levels}", len(runs[0]),
                      [run[-1] for run in runs])]


def loop_work(task, runs, episodes, training):
    worlds = [World(task.levels) for _ in range(runs)]
    return lambda: statistics_of(task, [loop_run(w, training, episodes) for w in worlds])


def batched_work(task, runs, episodes, training):
    worlds = [World(task.levels) for _ in range(runs)]
    return lambda: statistics_of(task, batched_runs(worlds, training, episodes))
