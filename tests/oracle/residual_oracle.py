#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Golden cases of the residual blocks over depth and over several streams, worked out with Python alone, number by number.

    python3 tests/oracle/residual_oracle.py > tests/oracle/residual.json

Every form is a stack of three sublayers, attention and feed-forward in turn, with one residual block each. In place of both
stands s = tanh(M r), or s = tanh(M q) + k ⊙ v where queries, keys and values of attention have inputs of their own. Gradients
are those of ½ Σ y², by complex steps: exact to rounding, because every operation below takes complex numbers and decides by
their real part.
"""
import cmath
import json
import math
import random

from complex_steps import gradient, real

LENGTH, D, SUBLAYERS, STREAMS = 2, 3, 3, 3
LAYER_NORM_EPS, EPS = 1e-5, 1e-6
FORMS = {
    "deepnorm": {"kind": "deepnorm", "alpha": 1.7},
    "hyper_static": {"kind": "hyper", "streams": STREAMS, "form": "static"},
    "hyper_dynamic": {"kind": "hyper", "streams": STREAMS, "form": "dynamic"},
    "mhc": {"kind": "mhc", "streams": STREAMS, "iterations": 20, "eps": EPS},
    "dense": {"kind": "dense"},
    "mudd": {"kind": "mudd", "eps": EPS},
    "attn_res": {"kind": "attn_res", "eps": EPS},
    "attn_res_block": {"kind": "attn_res", "block": 2, "eps": EPS},
    "hyper_views": {"kind": "hyper", "streams": STREAMS, "form": "dynamic", "views": "qkv"},
    "mhc_views": {"kind": "mhc", "streams": STREAMS, "iterations": 20, "eps": EPS, "views": "qkv"},
}


def views_of(form, k):
    """How many mixtures of the streams sublayer k reads."""
    return 3 if form.get("views") == "qkv" and k % 2 == 0 else 1


def shapes(form, k):
    """Names and sizes of the parameters of sublayer k."""
    n, sources, views = form.get("streams"), k + 2, views_of(form, k)
    read = [n] if views == 1 else [views, n]
    if form["kind"] == "hyper":
        fixed = {"read": read, "mix": [n, n], "write": [n]}
        if form["form"] == "static":
            return fixed
        maps = {"of_read.weight": [views, D], "of_mix.weight": [n, D], "of_write.weight": [1, D]}
        return {**fixed, "norm.weight": [D], "norm.bias": [D], **maps, "in_scale": [1], "out_scale": [1]}
    if form["kind"] == "mhc":
        return {"map.weight": [n * (n + 1 + views), n * D], "scale": [3], "read": read, "mix": [n, n], "write": [n]}
    if form["kind"] == "mudd":
        return {"hidden.weight": [sources, D], "out.weight": [sources, sources], "weight": [sources]}
    return {"dense": {"weight": [sources]}, "attn_res": {"query": [D], "gain": [D]}, "deepnorm": {}}[form["kind"]]


def draw(seed):
    source = random.Random(seed)

    def normal(sizes, scale=0.7):
        if not sizes:
            return round(source.gauss(0, scale), 4)
        return [normal(sizes[1:], scale) for _ in range(sizes[0])]

    return normal


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def times(rows, x):
    return [dot(row, x) for row in rows]


def plus(a, b):
    return [x + y for x, y in zip(a, b)]


def scaled(factor, x):
    return [factor * c for c in x]


def combined(weights, vectors):
    return [dot(weights, [v[c] for v in vectors]) for c in range(len(vectors[0]))]


def layer_norm(x, gain, bias):
    mean = sum(x) / len(x)
    size = cmath.sqrt(sum((c - mean) ** 2 for c in x) / len(x) + LAYER_NORM_EPS)
    return [g * (c - mean) / size + b for g, c, b in zip(gain, x, bias)]


def rms_norm(x):
    size = cmath.sqrt(dot(x, x) / len(x) + EPS)
    return [c / size for c in x]


def sigmoid(a):
    return 1 / (1 + cmath.exp(-a))


def gelu(a):
    """The error function of a + ib with a tiny b, to first order in b."""
    inner = complex(a) / math.sqrt(2)
    error = complex(math.erf(inner.real), inner.imag * 2 / math.sqrt(math.pi) * math.exp(-(inner.real**2)))
    return a * (1 + error) / 2


def doubly_stochastic(logits, iterations):
    m = [[cmath.exp(c) for c in row] for row in logits]
    for _ in range(iterations):
        sums = [sum(row[j] for row in m) for j in range(len(m))]
        m = [[c / sums[j] for j, c in enumerate(row)] for row in m]
        m = [[c / sum(row) for c in row] for row in m]
    return m


def by_view(read):
    """Weights of reading [V][N]."""
    return read if isinstance(read[0], list) else [read]


def hyper_weights(form, own, streams):
    """Weights of reading [V][N], mixing [N][N] from stream i to stream j, writing [N]."""
    if form["form"] == "static":
        return by_view(own["read"]), own["mix"], own["write"]
    n = [layer_norm(h, own["norm.weight"], own["norm.bias"]) for h in streams]

    def moved(start, scale, row, x):
        return start + scale * cmath.tanh(dot(row, x))

    count = range(len(streams))
    read = [
        [moved(start[i], own["in_scale"][0], row, n[i]) for i in count]
        for start, row in zip(by_view(own["read"]), own["of_read.weight"])
    ]
    mix = [[moved(own["mix"][i][j], own["in_scale"][0], own["of_mix.weight"][j], n[i]) for j in count] for i in count]
    write = [moved(own["write"][i], own["out_scale"][0], own["of_write.weight"][0], n[i]) for i in count]
    return read, mix, write


def mhc_weights(form, own, streams):
    count, starts = len(streams), by_view(own["read"])
    made = times(own["map.weight"], rms_norm([c for h in streams for c in h]))
    rows = [made[i : i + count] for i in range(0, len(made), count)]
    read = [[sigmoid(b + own["scale"][0] * c) for b, c in zip(*pair)] for pair in zip(starts, rows)]
    write = [2 * sigmoid(b + own["scale"][1] * c) for b, c in zip(own["write"], rows[len(starts)])]
    logits = [
        [b + own["scale"][2] * c for b, c in zip(*pair)] for pair in zip(own["mix"], rows[len(starts) + 1 :])
    ]
    return read, list(zip(*doubly_stochastic(logits, form["iterations"]))), write  # transposed: from j to i


def over_streams(form, weights, maps, x):
    streams = [x] * form["streams"]
    for k, branch in enumerate(maps):
        found = hyper_weights if form["kind"] == "hyper" else mhc_weights
        read, mix, write = found(form, weights[k], streams)
        inputs = [combined(share, streams) for share in read]
        s = [cmath.tanh(c) for c in times(branch, inputs[0])]
        if len(inputs) == 3:
            s = plus(s, [key * value for key, value in zip(inputs[1], inputs[2])])
        streams = [
            plus(combined([mix[i][j] for i in range(len(streams))], streams), scaled(write[j], s))
            for j in range(len(streams))
        ]
    return combined([1] * len(streams), streams)


def over_depth(form, weights, maps, x):
    states, h = [x], x
    for k, branch in enumerate(maps):
        own = weights[k]
        s = [cmath.tanh(c) for c in times(branch, h)]
        if form["kind"] == "deepnorm":
            h = plus(scaled(form["alpha"], h), s)
            continue
        if form["kind"] == "attn_res":
            if k % form.get("block", 1) == 0:
                states.append(s)
            else:
                states[-1] = plus(states[-1], s)
            powers = [cmath.exp(dot(own["query"], [g * c for g, c in zip(own["gain"], rms_norm(v))])) for v in states]
            h = combined([p / sum(powers) for p in powers], states)
            continue
        states.append(plus(h, s))
        over = own["weight"]
        if form["kind"] == "mudd":
            hidden = [gelu(c) for c in times(own["hidden.weight"], rms_norm(states[-1]))]
            over = plus(over, times(own["out.weight"], hidden))
        h = combined(over, states)
    return h


def evaluate(form, weights, maps, x):
    """y [LENGTH][D] of x; every position for itself."""
    run = over_streams if "streams" in form else over_depth
    return [run(form, weights, maps, row) for row in x]


def loss(form, weights, maps, x):
    return sum(c * c for row in evaluate(form, weights, maps, x) for c in row) / 2


def cases(x, maps, normal):
    for name, form in FORMS.items():
        weights = [{key: normal(sizes) for key, sizes in shapes(form, k).items()} for k in range(SUBLAYERS)]

        def with_moved(k, key, moved):
            return [{**own, key: moved} if i == k else own for i, own in enumerate(weights)]

        slopes = {"x": gradient(x, lambda moved: loss(form, weights, maps, moved))}
        for k, own in enumerate(weights):
            for key, value in own.items():
                slopes[f"{k}.{key}"] = gradient(
                    value, lambda moved, k=k, key=key: loss(form, with_moved(k, key, moved), maps, x)
                )
        yield name, {
            "form": form,
            "weights": {f"{k}.{key}": value for k, own in enumerate(weights) for key, value in own.items()},
            "y": real(evaluate(form, weights, maps, x)),
            "dloss": slopes,
        }


NORMAL = draw(11)
X, MAPS = NORMAL([LENGTH, D], 1.0), NORMAL([SUBLAYERS, D, D])
print(json.dumps({"x": X, "branches": MAPS, "forms": dict(cases(X, MAPS, NORMAL))}, separators=(",", ":")))
