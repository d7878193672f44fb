#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Golden cases of norms and residual connections that x-transformers 2.16.1 has, too: its own modules, in float64, with gradients.

    python3 -m venv venv && venv/bin/pip install x-transformers==2.16.1
    venv/bin/python tests/oracle/x_transformers_oracle.py > tests/oracle/x_transformers.json

Every case is one block: y of a stream x, or of a stream x and a sublayer's output s; gradients of ½ Σ y². Parameters have Heddle's
names and values: where a module of x-transformers holds another number for the same thing (its update gate keeps what ours replaces),
the case says the value and the gradient of ours.
"""
import json

import torch
from x_transformers.x_transformers import Derf, DynamicTanh, GRUGating, LayerScale, Residual, ScaleNorm, SimpleRMSNorm

torch.set_default_dtype(torch.float64)
LENGTH, D = 3, 4
GENERATOR = torch.Generator().manual_seed(7)


def normal(*sizes):
    return torch.round(torch.randn(sizes, generator=GENERATOR), decimals=4)


X, S = normal(LENGTH, D), normal(LENGTH, D)


def case(slot, form, module, ours, run):
    """`ours`: name of a parameter → function of the module that returns its value, and of the module's gradients that of ours."""
    x = X.clone().requires_grad_()
    y = run(module, x)
    (y.square().sum() / 2).backward()
    return {
        "slot": slot,
        "form": form,
        "weights": {f"block.{name}": value().detach().tolist() for name, (value, _) in ours.items()},
        "y": y.tolist(),
        "dloss": {"x": x.grad.tolist(), **{f"block.{name}": slope().tolist() for name, (_, slope) in ours.items()}},
    }


def same(parameter):
    sizes = parameter.shape or (1,)
    return (lambda: parameter.reshape(sizes)), (lambda: parameter.grad.reshape(sizes))


def moved(module):
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.copy_(normal(*parameter.shape))
    return module


def norms():
    run = lambda module, x: module(x)
    scale = moved(ScaleNorm(D))
    yield "scalenorm", case("norm", {"kind": "scalenorm"}, scale, {"weight": same(scale.g)}, run)
    simple = SimpleRMSNorm(D)
    yield "rmsnorm_plain", case("norm", {"kind": "rmsnorm", "gain": False, "eps": 1e-15}, simple, {}, run)
    dyt = moved(DynamicTanh(D))
    names = {"slope": same(dyt.pre_tanh_scale), "weight": same(dyt.gamma), "bias": same(dyt.beta)}
    yield "dyt", case("norm", {"kind": "dyt"}, dyt, names, run)
    derf = moved(Derf(D))
    names = {"slope": same(derf.alpha), "shift": same(derf.s), "weight": same(derf.gamma), "bias": same(derf.beta)}
    yield "derf", case("norm", {"kind": "dyt", "function": "erf"}, derf, names, run)


def residuals():
    stream = moved(Residual(D, scale_residual=True))
    form = {"kind": "alpha", "shape": "vector", "of": "stream"}
    yield "scale_residual", case("residual", form, stream, {"alpha": same(stream.residual_scale)}, lambda m, x: m(S, x))
    layer = moved(LayerScale(torch.nn.Identity(), D))
    form = {"kind": "alpha", "shape": "vector"}
    yield "layerscale", case("residual", form, layer, {"alpha": same(layer.gamma)}, lambda m, x: x + m(S))
    constant = Residual(D, scale_residual_constant=0.7)
    form = {"kind": "deepnorm", "alpha": 0.7, "beta": 1}
    yield "scale_residual_constant", case("residual", form, constant, {}, lambda m, x: m(S, x))
    gating = moved(GRUGating(D))
    cell = gating.gru
    with torch.no_grad():  # the sum of two biases counts where both are added
        cell.bias_hh[: 2 * D] = 0

    def part(parameter, i, factor=1.0):
        rows = slice(i * D, (i + 1) * D)
        return (lambda: parameter[rows] * factor), (lambda: parameter.grad[rows] / factor)

    names = {
        "reset_output.weight": part(cell.weight_ih, 0),
        "reset_output.bias": part(cell.bias_ih, 0),
        "reset_stream.weight": part(cell.weight_hh, 0),
        "update_output.weight": part(cell.weight_ih, 1, -1.0),
        "update_stream.weight": part(cell.weight_hh, 1, -1.0),
        "new_output.weight": part(cell.weight_ih, 2),
        "new_output.bias": part(cell.bias_ih, 2),
        "new_stream.weight": part(cell.weight_hh, 2),
        "new_stream.bias": part(cell.bias_hh, 2),
        "keep": part(cell.bias_ih, 1),
    }
    form = {"kind": "gru", "reset": "after", "bias": True}
    yield "gate_residual", case(
        "residual", form, gating, names, lambda m, x: m(S.unsqueeze(0), x.unsqueeze(0)).squeeze(0)
    )


print(json.dumps({"x": X.tolist(), "s": S.tolist(), "forms": dict([*norms(), *residuals()])}, separators=(",", ":")))
