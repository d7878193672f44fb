#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Golden cases of what x-transformers 2.16.1 does over depth: its own AttentionLayers, in float64, with gradients.

    python3 -m venv venv && venv/bin/pip install x-transformers==2.16.1
    venv/bin/python tests/oracle/depth_oracle.py > tests/oracle/depth.json

Every form is a stack of sublayers, attention and feed-forward in turn, with the residual blocks named for each of them. In place of
attention and feed-forward networks stands s = tanh(M r), or s = tanh(M q) + k ⊙ v where queries, keys and values have inputs of their
own; norms do nothing. Gradients are those of ½ Σ y². Parameters have Heddle's names: sublayer, then the residual's parameter.
"""
import json

import torch
from torch import nn
from x_transformers import x_transformers

torch.set_default_dtype(torch.float64)
LENGTH, D, LAYERS = 2, 3, 4
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


x_transformers.LayerNorm = NoNorm
x_transformers.Attention = AttentiveBranch
x_transformers.FeedForward = Branch


def case(residuals, names, **flags):
    """`names`: function of the layers that gives each parameter of ours."""
    layers = x_transformers.Decoder(dim=D, disable_abs_pos_emb=True, **flags)
    branches = [module for module in layers.modules() if isinstance(module, Branch)]
    for number, branch in enumerate(branches):
        branch.number = number
    with torch.no_grad():
        for parameter in layers.parameters():
            parameter.copy_(normal(*parameter.shape, scale=0.7))
    assert len(branches) == len(residuals)
    x = X.clone().requires_grad_()
    y = layers(x.unsqueeze(0)).squeeze(0)
    (y.square().sum() / 2).backward()
    parameters = names(layers)
    return {
        "residuals": residuals,
        "weights": {name: parameter.tolist() for name, parameter in parameters.items()},
        "y": y.tolist(),
        "dloss": {"x": x.grad.tolist(), **{name: parameter.grad.tolist() for name, parameter in parameters.items()}},
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


FORMS = {
    "macaron": macaron(),
    "reinject": reinject(gate=False),
    "reinject_gated": reinject(gate=True),
    "unet": unet(),
    "lime": lime("softmax"),
    "lime_relu": lime("relu"),
}
print(json.dumps({"x": X.tolist(), "branches": BRANCHES.tolist(), "forms": FORMS}, separators=(",", ":")))
