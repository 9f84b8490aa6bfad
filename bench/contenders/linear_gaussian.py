"""The linear Gaussian belief, for both contenders: a plain loop, and the same vectorised over episodes.

Worlds are those of experiments/belief-linear-gaussian.json: means, offsets and slopes standard normal,
covariances inverse-Wishart with 2d degrees of freedom and mean I. An episode redraws the mean of A, then
scores and learns ten mini-batches of ten. Covariances are log-diagonal Cholesky factors.
"""

import math

import torch
from torch import nn
from torch.distributions import MultivariateNormal

from contender import statistic

DOUBLE = torch.float64
STEPS = 10


def draw_factor(d):
    """The Cholesky factor of a covariance: the inverse of a sum of 2d outer products."""
    g = torch.randn(d, 2 * d, dtype=DOUBLE)
    return torch.linalg.cholesky((d - 1.0) * torch.linalg.inv(g @ g.t()))


class World:
    """A ~ N(mean, S_A), B = slope A + offset + N(0, S_N)."""

    def __init__(self, d):
        self.d = d
        self.mean, self.offset = torch.randn(d, dtype=DOUBLE), torch.randn(d, dtype=DOUBLE)
        self.slope = torch.randn(d, d, dtype=DOUBLE)
        self.factor_a, self.factor_n = draw_factor(d), draw_factor(d)

    def factors(self):
        """(offset, slope, factor) of P(A), P(B | A); of P(B), P(A | B), in information form."""
        inverse_a = torch.cholesky_inverse(self.factor_a)
        inverse_n = torch.cholesky_inverse(self.factor_n)
        s_a = self.factor_a @ self.factor_a.t()
        s_b = self.slope @ s_a @ self.slope.t() + self.factor_n @ self.factor_n.t()
        mean_b = self.slope @ self.mean + self.offset
        s_a_given_b = torch.linalg.inv(inverse_a + self.slope.t() @ inverse_n @ self.slope)
        back = s_a_given_b @ self.slope.t() @ inverse_n
        cholesky = torch.linalg.cholesky
        return (((self.mean, None, self.factor_a), (self.offset, self.slope, self.factor_n)),
                ((mean_b, None, cholesky(s_b)),
                 (self.mean - back @ mean_b, back, cholesky(s_a_given_b))))

    def sample(self, mean, *shape):
        a = mean + torch.randn(*shape, self.d, dtype=DOUBLE) @ self.factor_a.t()
        noise = torch.randn(*shape, self.d, dtype=DOUBLE) @ self.factor_n.t()
        return a, a @ self.slope.t() + self.offset + noise


# ---- the plain loop ----


class Gaussian(nn.Module):
    """P(y | x), or P(y) without a slope."""

    def __init__(self, offset, slope, factor):
        super().__init__()
        self.offset = nn.Parameter(offset.clone())
        self.slope = None if slope is None else nn.Parameter(slope.clone())
        self.lower = nn.Parameter(torch.tril(factor, -1))
        self.log_diagonal = nn.Parameter(torch.diagonal(factor).log())

    def forward(self, y, x=None):
        mean = self.offset if self.slope is None else self.offset + x @ self.slope.t()
        factor = torch.tril(self.lower, -1) + torch.diag_embed(self.log_diagonal.exp())
        return MultivariateNormal(mean, scale_tril=factor, validate_args=False).log_prob(y)


def loop_run(task, world, episodes):
    truth = world.factors()
    gamma = nn.Parameter(torch.zeros((), dtype=DOUBLE))
    belief = torch.optim.SGD([gamma], lr=0.1)
    deltas = []
    for _ in range(episodes):
        marginal_a, b_given_a = (Gaussian(*terms) for terms in truth[0])
        marginal_b, a_given_b = (Gaussian(*terms) for terms in truth[1])
        modules = nn.ModuleList([marginal_a, b_given_a, marginal_b, a_given_b])
        kind = torch.optim.Adam if task.optimizer == "adam" else torch.optim.SGD
        optimizer = kind(modules.parameters(), lr=task.learning_rate)
        mean = torch.randn(world.d, dtype=DOUBLE)
        log_forward = log_backward = 0.0
        for _ in range(STEPS):
            a, b = world.sample(mean, task.batch)
            forward = marginal_a(a) + b_given_a(b, a)
            backward = marginal_b(b) + a_given_b(a, b)
            optimizer.zero_grad()
            (-forward.mean() - backward.mean()).backward()
            optimizer.step()
            log_forward += forward.detach().sum()
            log_backward += backward.detach().sum()
        log_prior = nn.functional.logsigmoid
        regret = -torch.logaddexp(log_prior(gamma) + log_forward, log_prior(-gamma) + log_backward)
        belief.zero_grad()
        regret.backward()
        belief.step()
        deltas.append((log_forward - log_backward).item())
    return deltas


# ---- vectorised over episodes, gradients by hand ----


class Batched:
    """One module in all episodes: parameters are [episode][...]."""

    def __init__(self, task, offset, slope, factor, episodes):
        self.rate, self.step = task.learning_rate, 0
        d = offset.shape[0]
        x = torch.zeros(d, 0, dtype=DOUBLE) if slope is None else slope
        # (offset, slope, factor with the logarithms of its diagonal): one row per coordinate.
        log_factor = torch.tril(factor, -1) + torch.diag(torch.diagonal(factor).log())
        rows = torch.cat((offset[:, None], x, log_factor), dim=1)
        self.rows = rows.repeat(episodes, 1, 1)
        self.inputs, self.d = 1 + x.shape[1], d
        self.first, self.second = torch.zeros_like(self.rows), torch.zeros_like(self.rows)

    def learn(self, y, x=None):
        """Log-likelihoods of the mini-batches [episode][example][d] before the step."""
        ones = torch.ones(*y.shape[:2], 1, dtype=DOUBLE)
        given = ones if x is None else torch.cat((ones, x), dim=2)
        head, tail = self.rows[:, :, : self.inputs], self.rows[:, :, self.inputs :]
        log_diagonal = torch.diagonal(tail, dim1=1, dim2=2)
        diagonal = log_diagonal.exp()
        factor = torch.tril(tail, -1) + torch.diag_embed(diagonal)
        residual = (y - given @ head.transpose(1, 2)).transpose(1, 2)
        z = torch.linalg.solve_triangular(factor, residual, upper=False)
        w = torch.linalg.solve_triangular(factor.transpose(1, 2), z, upper=True)
        batch = y.shape[1]
        score = -0.5 * (z * z).sum((1, 2)) - batch * (
            log_diagonal.sum(1) + 0.5 * self.d * math.log(2 * math.pi))
        along = torch.tril(w @ z.transpose(1, 2))
        on_diagonal = torch.diagonal(along, dim1=1, dim2=2)
        on_diagonal.mul_(diagonal).sub_(batch)
        self.move(torch.cat((w @ given, along), dim=2).mul_(-1.0 / batch))
        return score

    def move(self, g):
        self.step += 1
        self.first.lerp_(g, 0.1)
        self.second.mul_(0.999).addcmul_(g, g, value=0.001)
        root = self.second.sqrt().div_(math.sqrt(1 - 0.999**self.step)).add_(1e-8)
        self.rows.addcdiv_(self.first, root, value=-self.rate / (1 - 0.9**self.step))


def sigmoid(x):
    return 1 / (1 + math.exp(min(-x, 700.0)))


def batched_run(task, world, episodes):
    truth = world.factors()
    marginal_a, b_given_a = (Batched(task, *terms, episodes) for terms in truth[0])
    marginal_b, a_given_b = (Batched(task, *terms, episodes) for terms in truth[1])
    mean = torch.randn(episodes, 1, world.d, dtype=DOUBLE)
    delta = torch.zeros(episodes, dtype=DOUBLE)
    for _ in range(STEPS):
        a, b = world.sample(mean, episodes, task.batch)
        delta += marginal_a.learn(a) + b_given_a.learn(b, a)
        delta -= marginal_b.learn(b) + a_given_b.learn(a, b)
    gamma = 0.0
    for evidence in delta.tolist():
        gamma -= 0.1 * (sigmoid(gamma) - sigmoid(gamma + evidence))
    return delta.tolist()


# ---- what both report ----


def statistics_of(task, runs):
    deltas = torch.tensor(runs, dtype=DOUBLE)
    middle = deltas.quantile(0.5, dim=1)
    return [statistic(f"delta/d={task.levels}/{task.optimizer}", task.learning_rate, middle)]


def prepare(run, task, runs, episodes):
    worlds = [World(task.levels) for _ in range(runs)]
    return lambda: statistics_of(task, [run(task, world, episodes) for world in worlds])
