#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Golden cases of mask "sliding", scorer "qk_norm" and adjuster "output_gate", worked out with Python alone, number by number.

    python3 tests/oracle/attention_oracle.py > tests/oracle/attention.json

Every form is one self-attention of two heads without residual and norm. Gradients are those of ½ Σ y², by complex steps: exact to
rounding, because every operation below takes complex numbers and decides by their real part.
"""
import cmath
import json
import math
import random

from complex_steps import gradient, real

LENGTH, HEADS, WIDTH = 6, 2, 2
D = HEADS * WIDTH
KEEP = [1, 1, 1, 1, 1, 0]
EPS = 1e-6
PADDING = {"kind": "padding"}
FORMS = {
    "window_past": {"mask": {"kind": "sliding", "window": 3, "side": "past"}},
    "window_both": {"mask": {"kind": "sliding", "window": 2, "side": "both"}},
    "qk_norm": {"scorer": {"kind": "qk_norm", "eps": EPS}, "mask": PADDING},
    "gate_elementwise": {"adjuster": {"kind": "output_gate", "grain": "elementwise", "bias": True}, "mask": PADDING},
    "gate_headwise": {"adjuster": {"kind": "output_gate", "grain": "headwise"}, "mask": PADDING},
}


def draw(seed):
    source = random.Random(seed)

    def normal(*sizes, mean=0.0, scale=0.6):
        if not sizes:
            return round(source.gauss(mean, scale), 4)
        return [normal(*sizes[1:], mean=mean, scale=scale) for _ in range(sizes[0])]

    weights = {}
    for name in ("scorer.q", "scorer.k", "value.v", "value.out"):
        weights[name + ".weight"], weights[name + ".bias"] = normal(D, D), normal(D)
    for name in ("scorer.q_gain", "scorer.k_gain"):
        weights[name] = normal(WIDTH, mean=1.0, scale=0.3)
    return normal(LENGTH, D, scale=1.0), weights, {D: (normal(D, D), normal(D)), HEADS: (normal(HEADS, D), None)}


def linear(x, weights, name):
    bias = weights.get(name + ".bias")
    rows = weights[name + ".weight"]
    return [sum(w * c for w, c in zip(row, x)) + (bias[i] if bias else 0) for i, row in enumerate(rows)]


def head(x, h):
    return x[h * WIDTH : (h + 1) * WIDTH]


def normed(x, gain):
    size = cmath.sqrt(sum(c * c for c in x) / len(x) + EPS)
    return [g * c / size for g, c in zip(gain, x)]


def visible(mask, q, k):
    if mask["kind"] == "padding":
        return bool(KEEP[k])
    if mask["side"] == "past":
        return q - mask["window"] < k <= q
    return abs(q - k) < mask["window"] and bool(KEEP[k])


def evaluate(x, weights, form):
    """y [LENGTH][D]."""
    q, k, v = ([linear(row, weights, name) for row in x] for name in ("scorer.q", "scorer.k", "value.v"))
    merged = [[0] * D for _ in x]
    for h in range(HEADS):
        qs, ks = [head(row, h) for row in q], [head(row, h) for row in k]
        if "scorer" in form:
            qs = [normed(row, weights["scorer.q_gain"]) for row in qs]
            ks = [normed(row, weights["scorer.k_gain"]) for row in ks]
        for i in range(LENGTH):
            seen = [j for j in range(LENGTH) if visible(form["mask"], i, j)]
            powers = {j: cmath.exp(sum(a * b for a, b in zip(qs[i], ks[j])) / math.sqrt(WIDTH)) for j in seen}
            for e in range(WIDTH):
                merged[i][h * WIDTH + e] = sum(powers[j] * head(v[j], h)[e] for j in seen) / sum(powers.values())
    if "adjuster" in form:
        share = WIDTH if form["adjuster"]["grain"] == "headwise" else 1
        for i, row in enumerate(x):
            gates = [1 / (1 + cmath.exp(-a)) for a in linear(row, weights, "adjuster.gate")]
            merged[i] = [c * gates[n // share] for n, c in enumerate(merged[i])]
    return [linear(row, weights, "value.out") for row in merged]


def loss(x, weights, form):
    return sum(c * c for row in evaluate(x, weights, form) for c in row) / 2


def used(weights, gates, form):
    chosen = {name: value for name, value in weights.items() if "gain" not in name or "scorer" in form}
    if "adjuster" in form:
        weight, bias = gates[HEADS if form["adjuster"]["grain"] == "headwise" else D]
        chosen["adjuster.gate.weight"] = weight
        if bias:
            chosen["adjuster.gate.bias"] = bias
    return chosen


def cases():
    x, weights, gates = draw(5)
    for name, form in FORMS.items():
        chosen = used(weights, gates, form)
        yield name, {
            "form": form,
            "weights": chosen,
            "y": real(evaluate(x, chosen, form)),
            "dloss": {
                "x": gradient(x, lambda moved: loss(moved, chosen, form)),
                **{
                    path: gradient(value, lambda moved, path=path: loss(x, {**chosen, path: moved}, form))
                    for path, value in chosen.items()
                },
            },
        }


X = draw(5)[0]
print(json.dumps({"heads": HEADS, "x": X, "keep": KEEP, "forms": dict(cases())}, separators=(",", ":")))
