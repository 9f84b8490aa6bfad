"""Continuous belief and encoder, for both contenders: a plain loop, and the same in batches.

Settings are those of the released-code profiles of experiments/belief-continuous.json and
encoder-rotation.json: A ~ N(mu, 2^2), B = f(A) + N(0, 1) with a random cubic spline f (polynomial outside
its points), mixture density networks of 32 tanh units and 10 Gaussians, mixtures by EM that are fitted to
the points they score, with the softmax of their weights.
"""

import copy
import math

import torch
from torch import nn

from contender import statistic

DOUBLE = torch.float64
HIDDEN, COMPONENTS, POINTS = 32, 10, 1000
LOG_ROOT = 0.5 * math.log(2 * math.pi)
EM_GAIN = 1e-3  # of the summed log-likelihood, as whence stops
TRAINING = 100  # steps before a belief is checked; one before it is timed
QUARTER = math.pi / 2


class World:
    """A cubic spline in the basis 1, x, x^2, x^3, (x - k)^3+: not-a-knot."""

    def __init__(self, anchors):
        x = torch.linspace(-1, 1, anchors, dtype=DOUBLE)
        self.knots = x[2:-2]
        self.weights = torch.linalg.solve(self.basis(x), 16 * torch.rand(anchors, dtype=DOUBLE) - 8)

    def basis(self, x):
        powers = torch.stack([x**k for k in range(4)], dim=-1)
        return torch.cat((powers, (x[..., None] - self.knots).clamp(min=0) ** 3), dim=-1)

    def sample(self, mean, *shape):
        a = mean + 2 * torch.randn(*shape, dtype=DOUBLE)
        return a, self.basis(a / 8) @ self.weights + torch.randn(*shape, dtype=DOUBLE)


def shifted_mean(*shape):
    return 8 * torch.rand(shape, dtype=DOUBLE) - 4


# ---- the plain loop ----


class Density(nn.Module):
    """P(y | x): a mixture density network."""

    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(1, HIDDEN, dtype=DOUBLE)
        self.logits = nn.Linear(HIDDEN, COMPONENTS, dtype=DOUBLE)
        self.means = nn.Linear(HIDDEN, COMPONENTS, dtype=DOUBLE)
        self.log_sigmas = nn.Linear(HIDDEN, COMPONENTS, dtype=DOUBLE)

    def forward(self, x, y):
        h = torch.tanh(self.hidden(x[:, None]))
        log_weights = torch.log_softmax(self.logits(h), dim=1)
        s = self.log_sigmas(h)
        z = (y[:, None] - self.means(h)) * torch.exp(-s)
        return torch.logsumexp(log_weights - s - 0.5 * z * z - LOG_ROOT, dim=1)


def fit_mixture(x, means, iterations):
    """EM from unit variances and equal weights; returns weights, means, variances."""
    weights, variances = torch.full_like(means, 1 / COMPONENTS), torch.ones_like(means)
    floor, last = 1e-6 * x.var(unbiased=False), -math.inf
    for _ in range(iterations):
        d = x[:, None] - means
        terms = weights.log() - 0.5 * variances.log() - 0.5 * d * d / variances - LOG_ROOT
        log_p = torch.logsumexp(terms, dim=1)
        log_lik = log_p.sum().item()
        if log_lik - last < EM_GAIN:
            break
        last = log_lik
        r = torch.exp(terms - log_p[:, None])
        n = r.sum(0) + 1e-12
        means = (r * x[:, None]).sum(0) / n
        variances = torch.maximum((r * (x[:, None] - means) ** 2).sum(0) / n, floor)
        weights = n / n.sum()
    return weights, means, variances


def released_nll(x, start, iterations):
    """Mean negative log-likelihood with the softmax of the weights."""
    weights, means, variances = fit_mixture(x, start, iterations)
    d = x[:, None] - means
    terms = torch.log_softmax(weights, 0) - 0.5 * variances.log() - 0.5 * d * d / variances
    return -(torch.logsumexp(terms, dim=1) - LOG_ROOT).mean().item()


def train(density, world, steps, backward):
    optimizer = torch.optim.Adam(density.parameters(), lr=1e-3)
    for _ in range(steps):
        a, b = world.sample(0.0, POINTS)
        loss = -(density(b, a) if backward else density(a, b)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def adapted_nll(trained, x, y, steps):
    """Sum over steps of the mean negative log-likelihood before each update of a copy."""
    density, total = copy.deepcopy(trained), 0.0
    optimizer = torch.optim.Adam(density.parameters(), lr=1e-3)
    for _ in range(steps):
        loss = -density(x, y).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    return total


def loop_belief(world, pair, episodes):
    """Beliefs after each episode."""
    gamma = nn.Parameter(torch.zeros((), dtype=DOUBLE))
    optimizer, beliefs = torch.optim.Adam([gamma], lr=0.1), []
    for _ in range(episodes):
        a, b = world.sample(shifted_mean(), POINTS)
        start = torch.randn(COMPONENTS, dtype=DOUBLE)
        forward = adapted_nll(pair[0], a, b, 10) + 10 * released_nll(a, start, 1001)
        backward = adapted_nll(pair[1], b, a, 10) + 10 * released_nll(b, start, 1001)
        log_prior = nn.functional.logsigmoid
        loss = torch.logaddexp(log_prior(gamma) + forward, log_prior(-gamma) + backward)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        beliefs.append(torch.sigmoid(gamma).item())
    return beliefs


def rotate(angle, x, y):
    c, s = torch.cos(angle), torch.sin(angle)
    return c * x - s * y, s * x + c * y


DECODER = torch.tensor(-math.pi / 4, dtype=DOUBLE)


def encoder_regret(trained, x, y, steps):
    """Mean regret over steps, and its first-order slopes in x and y."""
    density, total = copy.deepcopy(trained), 0.0
    optimizer = torch.optim.Adam(density.parameters(), lr=1e-3)
    x, y = x.detach().requires_grad_(), y.detach().requires_grad_()
    for _ in range(steps):
        loss = -density(x, y).mean()
        optimizer.zero_grad()
        loss.backward()  # x and y gather their slopes over the steps
        optimizer.step()
        total += loss.item()
    return total / steps, x.grad / steps, y.grad / steps


def loop_encoder(world, iterations):
    """Angles after each meta-iteration."""
    angle = nn.Parameter(torch.zeros((), dtype=DOUBLE))
    gamma = nn.Parameter(torch.zeros((), dtype=DOUBLE))
    optimizers = torch.optim.Adam([angle], lr=0.01), torch.optim.Adam([gamma], lr=0.001)
    forward, backward, angles = Density(), Density(), []
    for _ in range(iterations):
        encoder = angle.detach()
        parameters = [*forward.parameters(), *backward.parameters()]
        training = torch.optim.Adam(parameters, lr=0.01)
        for _ in range(20):
            u, v = rotate(encoder, *rotate(DECODER, *world.sample(0.0, POINTS)))
            loss = -forward(u, v).mean() - backward(v, u).mean()
            training.zero_grad()
            loss.backward()
            training.step()
        u, v = rotate(angle, *rotate(DECODER, *world.sample(shifted_mean(), POINTS)))
        start = torch.randn(COMPONENTS, dtype=DOUBLE)
        regret_uv, slope_u, slope_v = encoder_regret(forward, u, v, 5)
        regret_vu, other_v, other_u = encoder_regret(backward, v, u, 5)
        regret_uv += released_nll(u.detach(), start, 501)
        regret_vu += released_nll(v.detach(), start, 501)
        log_prior = nn.functional.logsigmoid
        loss = torch.logaddexp(log_prior(gamma) + regret_uv, log_prior(-gamma) + regret_vu)
        share = torch.sigmoid(gamma.detach() + regret_uv - regret_vu)
        for optimizer in optimizers:
            optimizer.zero_grad()
        loss.backward()
        torch.autograd.backward((u, v), (share * slope_u + (1 - share) * other_u,
                                         share * slope_v + (1 - share) * other_v))
        for optimizer in optimizers:
            optimizer.step()
        angles.append(angle.item())
    return angles


# ---- in batches: the first axis is the episode, or the run ----


class Adam:
    def __init__(self, parameters, rate):
        self.parameters, self.rate, self.step_count = parameters, rate, 0
        self.first = [torch.zeros_like(p) for p in parameters]
        self.second = [torch.zeros_like(p) for p in parameters]

    def step(self, gradients):
        self.step_count += 1
        scale = -self.rate / (1 - 0.9**self.step_count)
        root = math.sqrt(1 - 0.999**self.step_count)
        for p, m, v, g in zip(self.parameters, self.first, self.second, gradients):
            m.lerp_(g, 0.1)
            v.mul_(0.999).addcmul_(g, g, value=0.001)
            p.addcdiv_(m, v.sqrt().div_(root).add_(1e-8), value=scale)


class Densities:
    """Networks side by side: [network][...]; gradients by hand."""

    def __init__(self, count):
        def uniform(bound, *shape):
            return bound * (2 * torch.rand(count, *shape, dtype=DOUBLE) - 1)

        out, bound = 3 * COMPONENTS, 1 / math.sqrt(HIDDEN)
        self.parameters = [uniform(1, 1, HIDDEN), uniform(1, 1, HIDDEN),
                           uniform(bound, HIDDEN, out), uniform(bound, 1, out)]

    def copies(self, count=1):
        other = copy.copy(self)
        other.parameters = [p.repeat(count, 1, 1) for p in self.parameters]
        return other

    def pass_(self, x, y, with_inputs=False):
        """Log-densities [network][point]; gradients of the mean negative ones."""
        w1, b1, w2, b2 = self.parameters
        h = torch.tanh(x[..., None] * w1 + b1)
        logits, mean, s = (h @ w2 + b2).chunk(3, dim=-1)
        inverse = torch.exp(-s)
        z = (y[..., None] - mean) * inverse
        weights = torch.log_softmax(logits, -1)
        terms = weights - s - 0.5 * z * z
        log_p = torch.logsumexp(terms, -1, keepdim=True)
        r = torch.exp(terms - log_p)
        n = x.shape[-1]
        d_mean = r * z * inverse
        d_out = torch.cat((weights.exp() - r, -d_mean, r - r * z * z), -1).div_(n)
        d_h = (d_out @ w2.transpose(1, 2)) * (1 - h * h)
        gradients = [(x[..., None] * d_h).sum(1, keepdim=True), d_h.sum(1, keepdim=True),
                     h.transpose(1, 2) @ d_out, d_out.sum(1, keepdim=True)]
        slopes = ((d_h * w1).sum(-1), d_mean.sum(-1) / n) if with_inputs else None
        return log_p[..., 0] - LOG_ROOT, gradients, slopes


def batched_mixture_nll(x, start, iterations):
    """As released_nll for rows of x; rows that are done no longer take part."""
    rows, nll = torch.arange(x.shape[0]), torch.zeros(x.shape[0], dtype=DOUBLE)
    means, weights = start.clone(), torch.full_like(start, 1 / COMPONENTS)
    variances, last = torch.ones_like(start), torch.full((x.shape[0],), -math.inf, dtype=DOUBLE)
    floor = 1e-6 * x.var(1, unbiased=False)[:, None]

    def terms_of(w):
        d = x[..., None] - means[:, None]
        return (w.log() - 0.5 * variances.log())[:, None] - 0.5 * d * d / variances[:, None]

    for i in range(iterations + 1):
        terms = terms_of(weights)
        log_p = torch.logsumexp(terms, -1, keepdim=True)
        log_lik = log_p.sum((1, 2))
        done = (log_lik - last < EM_GAIN) | (i == iterations)
        if done.any():
            final = torch.logsumexp(terms_of(torch.softmax(weights, -1)), -1)
            nll[rows[done]] = LOG_ROOT - final.mean(1)[done]
            left = ~done
            if not left.any():
                return nll
            rows, x, floor, log_lik = rows[left], x[left], floor[left], log_lik[left]
            weights, means, variances = weights[left], means[left], variances[left]
            terms, log_p = terms[left], log_p[left]
        last = log_lik
        r = torch.exp(terms - log_p)
        n = r.sum(1) + 1e-12
        means = (r * x[..., None]).sum(1) / n
        variances = torch.maximum((r * (x[..., None] - means[:, None]) ** 2).sum(1) / n, floor)
        weights = n / n.sum(-1, keepdim=True)
    return nll


def batched_adapted_nll(trained, x, y, steps, with_inputs=False):
    copies = trained.copies(x.shape[0] // trained.parameters[0].shape[0])
    adam, total, slopes = Adam(copies.parameters, 1e-3), 0.0, [0.0, 0.0]
    for _ in range(steps):
        log_p, gradients, inputs = copies.pass_(x, y, with_inputs)
        total = total - log_p.mean(1)
        if with_inputs:
            slopes = [a + b for a, b in zip(slopes, inputs)]
        adam.step(gradients)
    return total, slopes


def train_batched(pair, worlds, steps, rate, encode=lambda a, b: (a, b)):
    adams = [Adam(density.parameters, rate) for density in pair]
    for _ in range(steps):
        u, v = encode(*sample_all(worlds, torch.zeros(len(worlds), dtype=DOUBLE)))
        adams[0].step(pair[0].pass_(u, v)[1])
        adams[1].step(pair[1].pass_(v, u)[1])


def sample_all(worlds, means):
    columns = [world.sample(mean, POINTS) for world, mean in zip(worlds, means)]
    return torch.stack([a for a, _ in columns]), torch.stack([b for _, b in columns])


def batched_belief(world, pair, episodes):
    a, b = world.sample(shifted_mean(episodes, 1), episodes, POINTS)
    start = torch.randn(episodes, COMPONENTS, dtype=DOUBLE)
    forward = batched_adapted_nll(pair[0], a, b, 10)[0] + 10 * batched_mixture_nll(a, start, 1001)
    backward = batched_adapted_nll(pair[1], b, a, 10)[0] + 10 * batched_mixture_nll(b, start, 1001)
    gamma = torch.zeros(1, dtype=DOUBLE)
    adam, beliefs = Adam([gamma], 0.1), []
    for delta in (forward - backward).tolist():
        adam.step([torch.sigmoid(gamma + delta) - torch.sigmoid(gamma)])
        beliefs.append(torch.sigmoid(gamma).item())
    return beliefs


def batched_encoder(worlds, iterations):
    runs = len(worlds)
    angle, gamma = torch.zeros(runs, dtype=DOUBLE), torch.zeros(runs, dtype=DOUBLE)
    angle_adam, gamma_adam = Adam([angle], 0.01), Adam([gamma], 0.001)
    pair, angles = (Densities(runs), Densities(runs)), []
    for _ in range(iterations):
        def encode(a, b):
            return rotate(angle[:, None], *rotate(DECODER, a, b))

        train_batched(pair, worlds, 20, 0.01, encode)
        u, v = encode(*sample_all(worlds, shifted_mean(runs)))
        start = torch.randn(runs, COMPONENTS, dtype=DOUBLE)
        uv, (slope_u, slope_v) = batched_adapted_nll(pair[0], u, v, 5, True)
        vu, (other_v, other_u) = batched_adapted_nll(pair[1], v, u, 5, True)
        uv, vu = uv / 5, vu / 5
        uv += batched_mixture_nll(u, start, 501)
        vu += batched_mixture_nll(v, start, 501)
        share = torch.sigmoid(gamma + uv - vu)[:, None]
        along_u = share * slope_u + (1 - share) * other_u
        along_v = share * slope_v + (1 - share) * other_v
        angle_adam.step([(along_v * u - along_u * v).sum(1) / 5])  # du = -v, dv = u
        gamma_adam.step([share[:, 0] - torch.sigmoid(gamma)])
        angles.append(angle.tolist())
    return [list(path) for path in zip(*angles)]


# ---- what both report ----


def belief_statistics(runs):
    last = len(runs[0])
    points = sorted({last // 2, last} - {0})
    return [statistic("belief/cause/cubic-10", x, [run[x - 1] for run in runs]) for x in points]


def encoder_statistics(runs):
    last = len(runs[0])
    distance = [abs(math.remainder(run[-1] - math.pi / 4, QUARTER)) for run in runs]
    return [statistic("distance/printed", last, distance)]


def loop_belief_work(task, runs, episodes, training):
    del task
    worlds, pairs = [World(10) for _ in range(runs)], []
    for world in worlds:
        pairs.append((Density(), Density()))
        for density, backward in zip(pairs[-1], (False, True)):
            train(density, world, training, backward)
    return lambda: belief_statistics(
        [loop_belief(w, pair, episodes) for w, pair in zip(worlds, pairs)])


def batched_belief_work(task, runs, episodes, training):
    del task
    worlds = [World(10) for _ in range(runs)]
    pairs = [(Densities(1), Densities(1)) for _ in worlds]
    for world, pair in zip(worlds, pairs):
        train_batched(pair, [world], training, 1e-3)
    return lambda: belief_statistics(
        [batched_belief(w, pair, episodes) for w, pair in zip(worlds, pairs)])


def loop_encoder_work(task, runs, iterations):
    del task
    worlds = [World(8) for _ in range(runs)]
    return lambda: encoder_statistics([loop_encoder(w, iterations) for w in worlds])


def batched_encoder_work(task, runs, iterations):
    del task
    worlds = [World(8) for _ in range(runs)]
    return lambda: encoder_statistics(batched_encoder(worlds, iterations))
