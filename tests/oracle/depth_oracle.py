#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Golden cases of what x-transformers 2.16.1 does over depth: its own AttentionLayers, in float64, with gradients.

    python3 -m venv venv && venv/bin/pip install x-transformers==2.16.1
    venv/bin/python tests/oracle/depth_oracle.py > tests/oracle/depth.json

Every form is a stack of sublayers, attention and feed-forward in turn, with the residual blocks named for each of them. In place of
attention and feed-forward networks stands s = tanh(M r), or s = tanh(M q) + k ⊙ v where queries, keys and values have inputs of their
own; norms do nothing. Gradients are those of ½ Σ y². Parameters have Heddle's names: sublayer, then the residual's parameter.

Hyper-connections are compared where their weights are learned numbers: theirs bounds them (σ, 2σ, Sinkhorn–Knopp), which the
names of the parameters undo. Their Sinkhorn–Knopp gets rows instead of matrices and so gives 1 whatever the weights: A is a
matrix of ones.
"""
import json

import torch
from torch import nn
from x_transformers import x_transformers

torch.set_default_dtype(torch.float64)
LENGTH, D, LAYERS, STREAMS = 2, 3, 4, 2
GENERATOR = torch.Generator().manual_seed(17)


def normal(*sizes, scale=1.0):
    return torch.round(torch.randn(sizes, generator=GENERATOR) * scale, decimals=4)


X, BRANCHES = normal(LENGTH, D), normal(2 * LAYERS, D, D, scale=0.7)


class NoNorm(nn.Module):
    def __init__(self, *args, **kwargs):
        super().__init__()

    def forward(self, x):
        return x


class Branch(nn.Module):
    def __init__(self, *args, **kwargs):
        super().__init__()
        self.number = 0

    def forward(self, x, **kwargs):
        apart = x.ndim == 4  # views of queries, keys and values
        s = torch.tanh((x[0] if apart else x) @ BRANCHES[self.number].T)
        return s + x[1] * x[2] if apart else s


class AttentiveBranch(Branch):
    can_cache_kv = False

    def forward(self, x, **kwargs):
        return super().forward(x), x_transformers.LayerIntermediates()


SINKHORN = x_transformers.sinkhorn


def sinkhorn_with_slope(mix, iterations):
    """Their values; the slope is that of A itself, which theirs lose."""
    return SINKHORN(mix, iterations) + mix - mix.detach()


x_transformers.sinkhorn = sinkhorn_with_slope
x_transformers.LayerNorm = NoNorm
x_transformers.Attention = AttentiveBranch
x_transformers.FeedForward = Branch


def case(residuals, names, still=(), **flags):
    """`names`: function of the layers that gives each parameter of ours, and with bounds its value and slope; `still`: ends of the
    names of theirs that stay 0."""
    layers = x_transformers.Decoder(dim=D, disable_abs_pos_emb=True, **flags)
    branches = [module for module in layers.modules() if isinstance(module, Branch)]
    for number, branch in enumerate(branches):
        branch.number = number
    with torch.no_grad():
        for name, parameter in layers.named_parameters():
            parameter.copy_(0 * parameter if name.endswith(still) else normal(*parameter.shape, scale=0.7))
    assert len(branches) == len(residuals)
    x = X.clone().requires_grad_()
    y = layers(x.unsqueeze(0)).squeeze(0)
    (y.square().sum() / 2).backward()
    found = names(layers)
    parameters = {name: own if isinstance(own, tuple) else (own, own.grad) for name, own in found.items()}
    return {
        "residuals": residuals,
        "weights": {name: value.tolist() for name, (value, _) in parameters.items()},
        "y": y.tolist(),
        "dloss": {"x": x.grad.tolist(), **{name: slope.tolist() for name, (_, slope) in parameters.items()}},
    }


def macaron():
    half, plain = {"kind": "alpha", "init": 0.5, "form": "fixed"}, {"kind": "add"}
    return case([half, plain, half] * 2, lambda layers: {}, depth=2, macaron=True)


def reinject(gate):
    def names(layers):
        found = {"0.map.weight": layers.reinject_input_proj.weight}
        return {**found, "0.gate.weight": layers.learned_reinject_input_gate.weight} if gate else found

    form = {"kind": "reinject", "gate": gate}
    flags = {"reinject_input": True, "learned_reinject_input_gate": gate}
    return case([form] * 2 * LAYERS, names, depth=LAYERS, **flags)


def unet():
    def names(layers):
        joined = ((k, combine) for k, combine in enumerate(layers.skip_combines) if combine is not None)
        return {f"{k}.combine.weight": combine.combine.weight for k, combine in joined}

    return case([{"kind": "unet"}, {"kind": "add"}] * LAYERS, names, depth=LAYERS, unet_skips=True)


def lime(weights):
    def names(layers):
        found = {}
        for k, integrator in enumerate(layers.layer_integrators):
            if k == 0 and weights == "softmax":  # of a single state: 1
                continue
            norm, linear = integrator.to_weights[0], integrator.to_weights[1]
            found.update({f"{k}.gain": norm.g, f"{k}.map.weight": linear.weight, f"{k}.map.bias": linear.bias})
        return found

    form = {"kind": "lime", "weights": weights, "eps": 1e-15}
    flags = {"integrate_layers": True, "layer_integrate_use_softmax": weights == "softmax"}
    return case([form] * 2 * LAYERS, names, depth=LAYERS, **flags)


def bounded(parameter, moved_by=0.0, top=1.0):
    """Value and slope of `top` σ(parameter + moved_by)."""
    share = torch.sigmoid(parameter.detach() + moved_by)
    return top * share, parameter.grad / (top * share * (1 - share))


def hyper(views):
    def names(layers):
        found = {}
        for k, own in enumerate(module for module in layers.modules() if isinstance(module, x_transformers.HyperConnection)):
            count = own.num_input_views
            read, slope = (part[:, :count].T for part in bounded(own.static_alpha))
            found[f"{k}.read"] = (read, slope) if count > 1 else (read[0], slope[0])
            found[f"{k}.mix"] = torch.ones(STREAMS, STREAMS), own.static_alpha.grad[:, count:]
            found[f"{k}.write"] = bounded(own.static_beta, own.dynamic_beta_scale.detach(), 2)
        return found

    form = {"kind": "hyper", "streams": STREAMS, "form": "static", "views": views}
    still = ("dynamic_alpha_fn", "dynamic_beta_fn", "stream_emb")
    flags = {"num_residual_streams": STREAMS, "qkv_receive_diff_residuals": views == "qkv"}
    return case([form] * 4, names, still, depth=2, **flags)


FORMS = {
    "macaron": macaron(),
    "reinject": reinject(gate=False),
    "reinject_gated": reinject(gate=True),
    "unet": unet(),
    "lime": lime("softmax"),
    "lime_relu": lime("relu"),
    "hyper": hyper("one"),
    "hyper_views": hyper("qkv"),
}
print(json.dumps({"x": X.tolist(), "branches": BRANCHES.tolist(), "forms": FORMS}, separators=(",", ":")))
