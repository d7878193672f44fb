#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Golden cases of attention composed of slots: relative positions, heads of keys, normalised queries and keys, caps, sinks, carried
values and places of the norm. Plain PyTorch in float64, with its gradients; no code of Heddle's.

    PYTHONPATH=.deps/torch-2.11.0 python3 tests/oracle/composed_oracle.py > tests/oracle/composed.json

Every form is a variant of self-attentions alone: y = the stack's output, gradients of ½ Σ y². The formulas are written from the
papers that the blocks' files name, a query and a key at a time where that is clearer.
"""
import json
import math

import torch

torch.set_default_dtype(torch.float64)
LENGTH, D, HEADS, WIDTH = 6, 4, 2, 4
KEEP = [1, 1, 1, 1, 1, 0]
EPS = 1e-6
NONE = {"kind": "none"}

FORMS = {
    "rotary": {"relative": {"kind": "rotary", "base": 100}},
    "rotary_half": {"relative": {"kind": "rotary", "base": 50, "share": 0.5}, "mask": "causal"},
    "alibi": {"relative": {"kind": "alibi"}, "mask": "causal"},
    "t5_both": {"relative": {"kind": "t5", "buckets": 8, "max_distance": 5, "side": "both"}},
    "t5_past": {"relative": {"kind": "t5", "buckets": 4, "max_distance": 4, "side": "past"}, "mask": "causal"},
    "t5_stack": {"relative": {"kind": "t5", "buckets": 8, "max_distance": 6, "scope": "stack"}, "layers": 2},
    "kv_heads": {"kv_heads": 1},
    "qwen3": {"relative": {"kind": "rotary"}, "scorer": {"kind": "qk_norm", "eps": EPS}, "kv_heads": 1, "mask": "causal"},
    "olmo2": {
        "relative": {"kind": "rotary"},
        "scorer": {"kind": "qk_norm", "eps": EPS, "over": "projection"},
        "norm": {"kind": "rmsnorm", "place": "res_post", "eps": EPS},
        "mask": "causal",
    },
    "alibi_qk_norm_kv_heads": {"relative": {"kind": "alibi"}, "scorer": {"kind": "qk_norm", "eps": EPS}, "kv_heads": 1},
    "sandwich": {"norm": {"kind": "layernorm", "place": "sandwich", "eps": EPS}},
    "sandwich_rms": {"norm": {"kind": "rmsnorm", "place": "sandwich", "eps": EPS}},
    "no_shift": {"norm": {"kind": "layernorm", "place": "pre", "eps": EPS, "bias": False}},
    "cap": {"cap": {"kind": "soft", "limit": 0.7}, "mask": "causal"},
    "sink": {"normaliser": {"kind": "sink"}, "mask": "causal"},
    "window_sinks": {"mask": {"kind": "sliding", "window": 2, "side": "past", "sinks": 1}},
    "values_first": {"value_carry": {"kind": "first_layer", "first": 0.3, "own": 0.7}, "layers": 2, "kv_heads": 1},
    "differential": {
        "normaliser": {"kind": "differential"},
        "adjuster": {"kind": "head_norm", "heads": 2, "eps": EPS, "scale": "differential"},
        "layers": 2,
        "mask": "causal",
    },
    "values_learned": {"value_carry": {"kind": "first_layer", "learned": True}, "layers": 2},
}


def kind(form, slot, standard="none"):
    given = form.get(slot, standard)
    return given["kind"] if isinstance(given, dict) else given


def shapes(form):
    """Path below a layer → sizes."""
    groups = form.get("kv_heads", HEADS)
    sizes = {
        "scorer.q.weight": [HEADS * WIDTH, D],
        "scorer.q.bias": [HEADS * WIDTH],
        "scorer.k.weight": [groups * WIDTH, D],
        "scorer.k.bias": [groups * WIDTH],
        "value.v.weight": [groups * WIDTH, D],
        "value.v.bias": [groups * WIDTH],
        "value.out.weight": [D, HEADS * WIDTH],
        "value.out.bias": [D],
    }
    if kind(form, "scorer") == "qk_norm":
        together = form["scorer"].get("over") == "projection"
        sizes["scorer.q_gain"] = [HEADS * WIDTH if together else WIDTH]
        sizes["scorer.k_gain"] = [groups * WIDTH if together else WIDTH]
    if kind(form, "relative") == "t5":
        sizes["relative.weight"] = [form["relative"]["buckets"], HEADS]
    if kind(form, "normaliser") == "sink":
        sizes["normaliser.sink"] = [HEADS]
    if kind(form, "normaliser") == "differential":
        sizes["normaliser.factors"] = [4, WIDTH]
        sizes["adjuster.weight"] = [2 * WIDTH]
    if "norm" in form:
        for part in ["norm."] + (["norm.output."] if form["norm"]["place"] == "sandwich" else []):
            sizes[part + "weight"] = [D]
            if form["norm"]["kind"] == "layernorm" and form["norm"].get("bias", True):
                sizes[part + "bias"] = [D]
    return sizes


def draw(form, generator):
    weights = {}
    for layer in range(form.get("layers", 1)):
        for path, size in shapes(form).items():
            if layer and path == "relative.weight" and form["relative"].get("scope") == "stack":
                continue
            gain = path.endswith("_gain") or path in ("norm.weight", "norm.output.weight", "adjuster.weight")
            numbers = torch.randn(size, generator=generator) * (0.3 if gain else 0.6) + (1 if gain else 0)
            weights[f"{layer}.self.{path}"] = (numbers * 1e4).round() / 1e4
        if layer and kind(form, "value_carry") == "first_layer" and form["value_carry"].get("learned"):
            weights[f"{layer}.self.value_carry.first"] = torch.tensor([0.4])
            weights[f"{layer}.self.value_carry.own"] = torch.tensor([0.8])
    return {path: numbers.requires_grad_() for path, numbers in weights.items()}


def turned(x, position, base, width):
    """Su et al. 2021, eq. 34, of one vector: a rotation matrix for every pair of the first `width` components."""
    parts = []
    for n in range(width // 2):
        angle = position * base ** (-2 * n / width)
        c, s = math.cos(angle), math.sin(angle)
        parts += [c * x[2 * n] - s * x[2 * n + 1], s * x[2 * n] + c * x[2 * n + 1]]
    return torch.stack(parts + [x[n] for n in range(width, len(x))])


def bucket(back, buckets, longest, both):
    """Raffel et al. 2020: half of the buckets of a side for single distances, the others for logarithmic stretches."""
    start = 0
    if both:
        buckets //= 2
        start = buckets if back < 0 else 0
        back = abs(back)
    back = max(back, 0)
    exact = buckets // 2
    if back < exact:
        return start + back
    far = exact + int(math.log(back / exact) / math.log(longest / exact) * (buckets - exact) + 1e-12)
    return start + min(far, buckets - 1)


def visible(form, q, k):
    mask = kind(form, "mask", "padding")
    if mask == "padding":
        return bool(KEEP[k])
    if mask == "causal":
        return k <= q
    return k <= q and (q - k < form["mask"]["window"] or k < form["mask"]["sinks"])


def rms(x, gain):
    return gain * x / (x.square().mean() + EPS).sqrt()


def normed(x, form, weights, part):
    if form["norm"]["kind"] == "rmsnorm":
        return torch.stack([rms(row, weights[part + "weight"]) for row in x])
    centred = x - x.mean(-1, keepdim=True)
    y = centred / (centred.square().mean(-1, keepdim=True) + EPS).sqrt() * weights[part + "weight"]
    return y + weights[part + "bias"] if part + "bias" in weights else y


def projections(x, form, weights):
    """Queries [HEADS][LENGTH] and keys [groups][LENGTH] of vectors."""
    q = x @ weights["scorer.q.weight"].T + weights["scorer.q.bias"]
    k = x @ weights["scorer.k.weight"].T + weights["scorer.k.bias"]
    if kind(form, "scorer") == "qk_norm" and form["scorer"].get("over") == "projection":
        q = torch.stack([rms(row, weights["scorer.q_gain"]) for row in q])
        k = torch.stack([rms(row, weights["scorer.k_gain"]) for row in k])
    qs, ks = q.split(WIDTH, -1), k.split(WIDTH, -1)
    if kind(form, "scorer") == "qk_norm" and form["scorer"].get("over") != "projection":
        qs = [torch.stack([rms(row, weights["scorer.q_gain"]) for row in one]) for one in qs]
        ks = [torch.stack([rms(row, weights["scorer.k_gain"]) for row in one]) for one in ks]
    if kind(form, "relative") == "rotary":
        base, width = form["relative"].get("base", 10000), int(WIDTH * form["relative"].get("share", 1))
        place = lambda one: torch.stack([turned(row, p, base, width) for p, row in enumerate(one)])
        qs, ks = [place(one) for one in qs], [place(one) for one in ks]
    return qs, ks


def score(q, k, i, j, h, form, weights):
    s = (q @ k) / math.sqrt(WIDTH)
    if kind(form, "relative") == "alibi":
        s = s - 2 ** (-8 * (h + 1) / HEADS) * abs(i - j)
    if kind(form, "relative") == "t5":
        options = form["relative"]
        both = options.get("side", "both") == "both"
        s = s + weights["relative.weight"][bucket(i - j, options["buckets"], options["max_distance"], both)][h]
    if kind(form, "cap") == "soft":
        s = form["cap"]["limit"] * torch.tanh(s / form["cap"]["limit"])
    return s


def attention(x, layer, form, weights, first):
    qs, ks = projections(x, form, weights)
    values = x @ weights["value.v.weight"].T + weights["value.v.bias"]
    own = values
    if kind(form, "value_carry") == "first_layer" and layer:
        options = form["value_carry"]
        a = weights.get("value_carry.first", options.get("first", 0.5))
        b = weights.get("value_carry.own", options.get("own", 0.5))
        values = a * first + b * values
    groups, heads = len(ks), []
    for h in range(HEADS):
        g = h * groups // HEADS
        v = values.split(WIDTH, -1)[g]
        rows = []
        for i in range(LENGTH):
            seen = [j for j in range(LENGTH) if visible(form, i, j)]

            def shares(head):
                powers = torch.stack([score(qs[head][i], ks[head * groups // HEADS][j], i, j, head, form, weights) for j in seen]).exp()
                total = powers.sum()
                if "normaliser.sink" in weights:
                    total = total + weights["normaliser.sink"][head].exp()
                return powers / total

            if "normaliser.factors" in weights:  # Ye et al. 2025, eq. 1 and 2
                a, b, c, d = weights["normaliser.factors"]
                start = 0.8 - 0.6 * math.exp(-0.3 * layer)
                mixing = shares(0) - ((a @ b).exp() - (c @ d).exp() + start) * shares(1)
            else:
                mixing = shares(h)
            rows.append(mixing @ v[seen])
        heads.append(torch.stack(rows))
    if "adjuster.weight" in weights:  # eq. 4, both heads of the only pair together
        pair = torch.stack([rms(row, weights["adjuster.weight"]) for row in torch.cat(heads, -1)])
        heads = [pair * (1 - (0.8 - 0.6 * math.exp(-0.3 * layer)))]
    return torch.cat(heads, -1) @ weights["value.out.weight"].T + weights["value.out.bias"], own


def evaluate(x, form, weights):
    first = None
    place = form["norm"]["place"] if "norm" in form else ""
    for layer in range(form.get("layers", 1)):
        own = {path[len("0.self."):]: value for path, value in weights.items() if path.startswith(f"{layer}.")}
        if kind(form, "relative") == "t5":
            own.setdefault("relative.weight", weights["0.self.relative.weight"])
        u = normed(x, form, own, "norm.") if place in ("pre", "sandwich") else x
        s, values = attention(u, layer, form, own, first)
        first = values if layer == 0 else first
        if place == "sandwich":
            s = normed(s, form, own, "norm.output.")
        if place == "res_post":
            s = normed(s, form, own, "norm.")
        x = x + s
    return x


def document(form):
    slots = {slot: form[slot] for slot in ("relative", "scorer", "cap", "normaliser", "value_carry", "adjuster", "norm") if slot in form}
    dims = {"d": D, "f": 4, "heads": HEADS, "key_dim": WIDTH, "layers_enc": form.get("layers", 1), "max_len": LENGTH}
    if "kv_heads" in form:
        dims["kv_heads"] = form["kv_heads"]
    return {
        "topology": "encoder",
        "dims": dims,
        "position": "none",
        "encoder": {"sublayers": [{"name": "self", "norm": "none", "mask": form.get("mask", "padding"), **slots}]},
    }


def cases():
    generator = torch.Generator().manual_seed(11)
    x = (torch.randn(LENGTH, D, generator=generator) * 1e4).round() / 1e4
    yield "x", x.tolist()
    for name, form in FORMS.items():
        weights = draw(form, generator)
        given = x.clone().requires_grad_()
        y = evaluate(given, form, weights)
        (y.square().sum() / 2).backward()
        yield name, {
            "document": document(form),
            "weights": {path: value.detach().tolist() for path, value in weights.items()},
            "y": y.detach().tolist(),
            "dloss": {"x": given.grad.tolist(), **{path: value.grad.tolist() for path, value in weights.items()}},
        }


made = dict(cases())
X = made.pop("x")
print(json.dumps({"torch": torch.__version__, "x": X, "keep": KEEP, "forms": made}, separators=(",", ":")))
