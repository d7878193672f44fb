#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The golden case of selector "sea", worked out with numpy alone, entry by entry, in float64.

    python3 tests/oracle/sea_oracle.py > tests/oracle/sea.json
    heddle verify --golden tests/oracle/sea.json --only sea

Every output is one form of the case ("query", "causal", …). Gradients are those of ½ Σ y², by complex steps: exact to rounding,
because every operation below takes complex numbers and decides by their real part.
"""
import json
import math

import numpy as np

BATCH, LENGTH, HEADS, WIDTH, COLUMNS, FEATURES = 2, 7, 2, 3, 4, 5
D = HEADS * WIDTH
KEEP = [[1] * 7, [1] * 5 + [0] * 2]
LONGEST = 9  # dims.max_len
FORMS = {
    "query": {"mask": "padding", "group": "query", "k": 3},
    "causal_batch": {"mask": "padding", "group": "causal_batch", "k": 2},
    "head": {"mask": "padding", "group": "head", "k": 2},
    "batch": {"mask": "padding", "group": "batch", "k": 3},
    "causal": {"mask": "padding_causal", "group": "causal_batch", "k": 3},
}
WEIGHTS = {"kl_weight": 0.3, "mse_weight": 2.0}


def draw(seed):
    random = np.random.RandomState(seed)

    def normal(*sizes, scale=0.6):
        return np.round(random.normal(0, scale, sizes), 4)

    weights = {"W" + n: normal(D, D) for n in "qkvo"}
    weights.update({"b" + n: normal(D) for n in "qkvo"})
    weights["features"] = normal(FEATURES, WIDTH, scale=1)
    for name, rows, columns in (
        ("encode", 2 * WIDTH, 3 * WIDTH),
        ("scales", 2, 2 * WIDTH),
        ("rows", COLUMNS, 2 * WIDTH),
        ("conv1", 2 * HEADS, 18 * HEADS),
        ("conv2", 2 * HEADS, 18 * HEADS),
        ("conv3", HEADS, 18 * HEADS),
    ):
        weights["W" + name], weights["b" + name] = normal(rows, columns), normal(rows)
    for name, size in (("encode_norm", 2 * WIDTH), ("norm", COLUMNS)):
        weights["g" + name], weights["c" + name] = 1 + normal(size, scale=0.3), normal(size)
    return normal(BATCH, LENGTH, D, scale=1), weights


def erf(x):
    real = np.vectorize(math.erf)(x.real)
    return real + 1j * x.imag * 2 / math.sqrt(math.pi) * np.exp(-x.real**2)


def layer_norm(x, gain, shift):
    mean = x.mean(-1, keepdims=True)
    variance = ((x - mean) ** 2).mean(-1, keepdims=True)
    return gain * (x - mean) / np.sqrt(variance + 1e-5) + shift


def softmax(row):
    powers = np.exp(row - row[np.argmax(row.real)])
    return powers / powers.sum()


def rectified(x):
    return np.where(x.real > 0, x, 0)


def heads_of(x, weights, name):
    y = x @ weights["W" + name].T + weights["b" + name]
    return y.reshape(LENGTH, HEADS, WIDTH).transpose(1, 0, 2)


def feature_weights(q, k, features, sees, hides_future):
    """p [Q,K] of one head: sees[i] are the keys that query i sees."""
    q, k = q / WIDTH**0.25, k / WIDTH**0.25
    of_q, of_k = q @ features.T, k @ features.T
    if hides_future:
        of_q, of_k = rectified(of_q) + 1e-3, rectified(of_k) + 1e-3
    else:
        real = sorted(set().union(*sees))
        shown = of_k[real]
        top = shown.flat[np.argmax(shown.real)]
        for i in range(LENGTH):
            best = of_q[i][np.argmax(of_q[i].real)]
            of_q[i] = (np.exp(of_q[i] - (q[i] ** 2).sum() / 2 - best) + 1e-4) / math.sqrt(FEATURES)
            of_k[i] = (np.exp(of_k[i] - (k[i] ** 2).sum() / 2 - top) + 1e-4) / math.sqrt(FEATURES)
    p = np.zeros((LENGTH, LENGTH), complex)
    for i in range(LENGTH):
        for j in sees[i]:
            p[i, j] = of_q[i] @ of_k[j]
        if sees[i]:
            p[i] /= p[i].sum()
    return p


def identity_rows(real, hides_future):
    rows = np.zeros((LENGTH, WIDTH))
    last = (LONGEST if hides_future else len(real)) - 1
    for rank, j in enumerate(real):
        place = rank * (WIDTH - 1) / last
        for column in range(WIDTH):
            rows[j, column] = max(0, 1 - abs(place - column))
    return rows


def convolution(x, weights, name, real, hides_future):
    """x [C,Q,W] → [C',Q,W]; under a causal mask a row sees itself and the two before it."""
    kernel = weights["W" + name].reshape(-1, x.shape[0], 3, 3)
    y = np.zeros((kernel.shape[0], x.shape[1], x.shape[2]), complex)
    first = -2 if hides_future else -1
    for i in range(x.shape[1]):
        for w in range(x.shape[2]):
            y[:, i, w] = weights["b" + name]
            for a in range(3):
                for b in range(3):
                    row, column = i + first + a, w + b - 1
                    if row in real and 0 <= column < x.shape[2]:
                        y[:, i, w] += kernel[:, :, a, b] @ x[:, row, column]
    return y


def sentence(x, keep, weights, form):
    """Outputs of one sentence: y [S,D], weights, estimate at the keys, loss, chosen and visible keys."""
    hides_future = form["mask"] == "padding_causal"
    real = [j for j in range(LENGTH) if keep[j]]
    sees = [[j for j in real if j <= i] if hides_future else real for i in range(LENGTH)]
    q, k, v = (heads_of(x, weights, name) for name in "qkv")

    z = np.zeros((HEADS, LENGTH, 2 * WIDTH), complex)
    identity = identity_rows(real, hides_future)
    for h in range(HEADS):
        p = feature_weights(q[h], k[h], weights["features"], sees, hides_future)
        read = np.concatenate([p @ identity, p @ v[h], v[h]], -1)
        inner = layer_norm(read @ weights["Wencode"].T + weights["bencode"], weights["gencode_norm"], weights["cencode_norm"])
        z[h] = inner * (1 + erf(inner / math.sqrt(2))) / 2

    rows = z @ weights["Wrows"].T + weights["brows"]
    channels = np.stack([rows[h, :, c * 2 : c * 2 + 2] for h in range(HEADS) for c in range(2)])
    for name in ("conv1", "conv2"):
        channels = rectified(convolution(channels, weights, name, real, hides_future))
    channels = convolution(channels.repeat(2, -1), weights, "conv3", real, hides_future)
    scores = layer_norm(channels, weights["gnorm"], weights["cnorm"])

    # The column of every key, and the estimate over the columns that have one.
    column = [{j: (2 * r + 1) * COLUMNS // (2 * len(s)) for r, j in enumerate(s)} for s in sees]
    used = [sorted(set(c.values())) for c in column]
    estimate = np.zeros((HEADS, LENGTH, COLUMNS), complex)
    for h in range(HEADS):
        for i in real:
            estimate[h, i, used[i]] = softmax(scores[h, i, used[i]])

    # The largest entries of every group.
    groups = {}
    for h in range(HEADS):
        for i in real:
            key = {"query": (h, i), "causal_batch": i, "head": h, "batch": 0}[form["group"]]
            entries, quota = groups.get(key, ([], 0))
            share = len(used[i])
            take = min(max((2 * form["k"] * share + len(sees[i])) // (2 * len(sees[i])), 1), share)
            groups[key] = (entries + [(-estimate[h, i, c].real, h, i, c) for c in used[i]], quota + take)
    chosen, gap = set(), math.inf
    for entries, quota in groups.values():
        entries.sort()
        chosen.update(entry[1:] for entry in entries[:quota])
        if quota < len(entries):
            gap = min(gap, entries[quota][0] - entries[quota - 1][0])

    result = {name: np.zeros((HEADS, LENGTH, LENGTH), complex) for name in ("probs", "estimate")}
    mixed = np.zeros((LENGTH, D), complex)
    loss, kept, visible = 0, 0, 0
    for h in range(HEADS):
        mean = sum(estimate[h, i] for i in real) / len(real)
        for i in range(LENGTH):
            if not sees[i]:
                continue
            dots = k[h][sees[i]] @ q[h, i] / math.sqrt(WIDTH)
            dense, guess = softmax(dots), softmax(np.array([scores[h, i, column[i][j]] for j in sees[i]]))
            result["estimate"][h, i, sees[i]] = guess
            picked = [n for n, j in enumerate(sees[i]) if (h, i, column[i][j]) in chosen]
            if picked:
                result["probs"][h, i, [sees[i][n] for n in picked]] = softmax(dots[picked])
            rest = np.ones(len(sees[i])) if hides_future else np.array([mean[column[i][j]] for j in sees[i]])
            prob, mix = 1 / (1 + np.exp(-(z[h, i] @ weights["Wscales"].T + weights["bscales"])))
            context = mix * prob * (result["probs"][h, i] @ v[h]) + (1 - mix) * (rest / rest.sum()) @ v[h][sees[i]]
            mixed[i, h * WIDTH : (h + 1) * WIDTH] = context
            if i in real:
                divergence = (dense * (np.log(dense) - np.log(guess))).sum()
                error = ((dense - guess) ** 2).sum() / len(sees[i])
                loss += (WEIGHTS["kl_weight"] * divergence + WEIGHTS["mse_weight"] * error) / HEADS / len(real)
                kept, visible = kept + len(picked), visible + len(sees[i])
    result.update(y=mixed @ weights["Wo"].T + weights["bo"], loss=loss, kept=kept, visible=visible, gap=gap)
    return result


def evaluate(x, weights, form):
    each = [sentence(x[b], KEEP[b], weights, form) for b in range(BATCH)]
    outputs = {name: np.stack([one[name] for one in each]) for name in ("y", "probs", "estimate")}
    outputs["loss"] = sum(one["loss"] for one in each) / BATCH
    outputs["density"] = sum(one["kept"] for one in each) / sum(one["visible"] for one in each)
    return outputs, min(one["gap"] for one in each)


def gradient(x, weights, form):
    """Of ½ Σ y² by x."""
    step, slopes = 1e-30, np.zeros(x.shape)
    for place in np.ndindex(*x.shape):
        moved = x.astype(complex)
        moved[place] += 1j * step
        slopes[place] = ((evaluate(moved, weights, form)[0]["y"] ** 2).sum() / 2).imag / step
    return slopes


def case():
    for seed in range(1, 100):  # until no choice is close: float32 must make the same
        x, weights = draw(seed)
        results = {name: evaluate(x.astype(complex), weights, form) for name, form in FORMS.items()}
        if min(gap for _, gap in results.values()) > 1e-3:
            break
    outputs = {}
    for name, (computed, _) in results.items():
        outputs.update({f"{name}_{what}": np.asarray(value).real.tolist() for what, value in computed.items()})
        outputs[name + "_dloss_dx"] = gradient(x, weights, FORMS[name]).tolist()
    estimator = [name for name in weights if len(name) > 2 and name != "features"]
    return {
        "note": f"selector sea (Lee et al. 2024), one self-attention without residual and norm; seed {seed}; "
        "dloss: of half the sum of squares of y",
        "heads": HEADS,
        "max_len": LONGEST,
        "columns": COLUMNS,
        "forms": {name: {**form, **WEIGHTS} for name, form in FORMS.items()},
        "inputs": {"x": x.tolist(), "key_keep": KEEP},
        "weights": {name: value.tolist() for name, value in weights.items()},
        "param_count": int(sum(weights[name].size for name in estimator)),
        "outputs": outputs,
    }


print(json.dumps({"sea": case()}, separators=(",", ":"), ensure_ascii=False))
