#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Mean and resample ablation of an encoder by numpy, and intervals that hold for all changes of a ranking by scipy.

"encoder": two gated post-norm layers (GRC) over three sentences of different lengths, in float64. Every parameter is
0.3 sin(0.7 i + c), where c is the sum of the characters of its name, so that nothing of Heddle's enters. "hidden" has the first four
features of the positions that are no padding, after each ablation: head 1 of layer 0 and head 2 of layer 1 together, a sublayer, a
gate; each by its mean in the unchanged model and by the values of another sentence, for both permutations of three sentences without
fixed points.
"intervals": Hall's transformation, inverted by brentq, and Tango's score, solved by brentq, at levels 1 - 0.05 / m.

    python3 tests/oracle/ablation_oracle.py > tests/unit/engine/model/cases/ablation_cases.json

Written with numpy 2.4.6 and scipy 1.17.1.
"""
import json

import numpy as np
from scipy import optimize, stats

D, F, H, LAYERS, PAD, VOCABULARY = 16, 24, 4, 2, 1, 11
SENTENCES = [[4, 5, 6, 7, 3], [8, 9, 3, PAD, PAD], [10, 6, 5, 3, PAD]]
OTHERS = [[1, 2, 0], [2, 0, 1]]  # the permutations of three without fixed points


def parameter(name, *shape):
    size = int(np.prod(shape))
    return (0.3 * np.sin(0.7 * np.arange(size) + sum(map(ord, name)))).reshape(shape)


def linear(x, name, out):
    return x @ parameter(name + ".weight", out, x.shape[-1]).T + parameter(name + ".bias", out)


def norm(x, name):
    centred = x - x.mean(-1, keepdims=True)
    scaled = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5)
    return scaled * parameter(name + ".weight", D) + parameter(name + ".bias", D)


def position(length):
    angle = np.arange(length)[:, None] / 10000 ** (2 * np.arange(D // 2) / D)
    return np.stack([np.sin(angle), np.cos(angle)], -1).reshape(length, D)


def encoded(change):
    """`change(tap, x [B,S,.])` gives what takes the place of x; taps: "layer.head", "layer.sublayer", "layer.sublayer.gate"."""
    ids = np.array(SENTENCES)
    hidden = ids == PAD
    x = parameter("embed.source.weight", VOCABULARY, D)[ids] + position(ids.shape[1])
    for layer in range(LAYERS):
        for sublayer in ("self", "ffn"):
            path = f"encoder.layers.{layer}.{sublayer}"
            if sublayer == "self":
                q, k, v = (linear(x, f"{path}.{name}", D) for name in ("scorer.q", "scorer.k", "value.v"))
                heads = []
                for head in range(H):
                    of = slice(head * D // H, (head + 1) * D // H)
                    score = q[..., of] @ k[..., of].transpose(0, 2, 1) / np.sqrt(D // H)
                    score = np.where(hidden[:, None, :], -np.inf, score)
                    weight = np.exp(score - score.max(-1, keepdims=True))
                    weight /= weight.sum(-1, keepdims=True)
                    heads.append(change(f"{layer}.{head}", weight @ v[..., of]))
                s = linear(np.concatenate(heads, -1), path + ".value.out", D)
            else:
                s = linear(np.maximum(linear(x, path + ".ffn.in", F), 0), path + ".ffn.out", D)
            s = change(f"{layer}.{sublayer}", s)
            gate = change(f"{layer}.{sublayer}.gate", 1 / (1 + np.exp(-linear(x, path + ".residual.gate", D))))
            x = norm(x + gate * s, path + ".norm")
    return [row[: sum(i != PAD for i in ids), :4].tolist() for row, ids in zip(x, SENTENCES)]


def by_mean(taps):
    """The means are those of the unchanged model."""
    seen = {}

    def look(tap, x):
        seen[tap] = x
        return x

    encoded(look)
    real = np.array(SENTENCES) != PAD

    def change(tap, x):
        return np.broadcast_to(seen[tap][real].mean(0), x.shape) if tap in taps else x

    return encoded(change)


def by_resampling(taps, others):
    lengths = [sum(i != PAD for i in ids) for ids in SENTENCES]

    def change(tap, x):
        if tap not in taps:
            return x
        return np.stack([x[other][[s % lengths[other] for s in range(x.shape[1])]] for other in others])

    return encoded(change)


def hall(changes, alpha):
    d = np.array(changes, float)
    n, difference = len(d), d.mean()
    e = d - difference
    m = {k: (e**k).mean() for k in (2, 3, 4, 6)}
    skewness = m[3] / m[2] ** 1.5
    variance = (m[6] - 6 * m[4] * m[2] + 9 * m[2] ** 3 - m[3] ** 2) / (n * m[2] ** 3)
    g = skewness**3 / (skewness**2 + 4 * variance)
    scale = np.sqrt((e**2).sum() / (n - 1))
    t = stats.t.ppf(1 - alpha / 2, n - 1) / np.sqrt(n)

    def bound(wanted):
        return difference - scale * optimize.brentq(
            lambda s: s + g * s**2 / 3 + g**2 * s**3 / 27 + g / (6 * n) - wanted, -50, 50, xtol=1e-14)

    return [bound(t), bound(-t)]


def tango(gained, lost, n, alpha):
    z = stats.norm.ppf(1 - alpha / 2)

    def score(assumed):
        b = -(gained + lost) + (2 * n - gained + lost) * assumed
        share = (np.sqrt(b * b + 8 * n * lost * assumed * (1 - assumed)) - b) / (4 * n)
        return (gained - lost - n * assumed) / np.sqrt(n * (2 * share + assumed * (1 - assumed)))

    middle = (gained - lost) / n
    return [optimize.brentq(lambda x: score(x) - z, -1 + 1e-9, middle - 1e-9, xtol=1e-14),
            optimize.brentq(lambda x: score(x) + z, middle + 1e-9, 1 - 1e-9, xtol=1e-14)]


def main():
    ablated = {"heads": ("0.1", "1.2"), "sublayer": ("0.ffn",), "gate": ("1.self.gate",)}
    hidden = {"trained": encoded(lambda tap, x: x)}
    for name, taps in ablated.items():
        hidden[name] = {"mean": by_mean(taps), "resample": [by_resampling(taps, others) for others in OTHERS]}
    changes = list(range(1, 20)) + [40]
    intervals = [{"changes": changes, "m": m, "interval": hall(changes, 0.05 / m)} for m in (1, 12, 48)]
    answers = [{"gained": 3, "lost": 12, "n": 100, "m": m, "interval": tango(3, 12, 100, 0.05 / m)} for m in (1, 12, 48)]
    print(json.dumps({"sentences": SENTENCES, "others": OTHERS, "hidden": hidden, "intervals": intervals, "answers": answers}))


if __name__ == "__main__":
    main()
