#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Golden cases of norms, residual connections and options inside sublayers that x-transformers 2.16.1 has, too: its own modules, in
float64, with gradients.

    python3 -m venv venv && venv/bin/pip install x-transformers==2.16.1
    venv/bin/python tests/oracle/x_transformers_oracle.py > tests/oracle/x_transformers.json

Every case of "forms" is one block: y of a stream x, or of a stream x and a sublayer's output s; gradients of ½ Σ y². Every case of
"sublayers" is an encoder of Heddle without norms, whose layers have one sublayer, x + Attention(x) or x + FeedForward(x), with its input
"wide". Parameters have Heddle's names and values: where a module of x-transformers holds another number for the same thing (its update
gate keeps what ours replaces), the case says the value and the gradient of ours.
"""
import json
from functools import partial

import torch
from x_transformers.x_transformers import (
    Attention,
    Derf,
    DynamicTanh,
    FeedForward,
    GRUGating,
    LayerScale,
    Residual,
    ScaleNorm,
    SimpleRMSNorm,
)

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


FORMS = dict([*norms(), *residuals()])

# New cases come last: they draw after the others, which stay as they are.
HEADS, WIDE = 2, 8
LONG = normal(5, WIDE)


def of_sublayers(sublayer, theirs, run, head=WIDE // HEADS):
    """`theirs`: the modules of the layers, each with its names; `run`: function of the modules and x; `head`: width of a head."""
    x = LONG.clone().requires_grad_()
    y = run([module for module, _ in theirs], x.unsqueeze(0)).squeeze(0)
    (y.square().sum() / 2).backward()
    names = {f"{i}.{sublayer['name']}.{name}": pair for i, (_, ours) in enumerate(theirs) for name, pair in ours.items()}
    dims = {"d": WIDE, "f": 2 * WIDE, "heads": HEADS, "key_dim": head, "value_dim": head, "layers_enc": len(theirs), "max_len": 6}
    encoder = {"sublayers": [{"norm": "none", **sublayer}]}
    return {
        "document": {"topology": "encoder", "dims": dims, "position": "none", "encoder": encoder},
        "weights": {name: value().detach().tolist() for name, (value, _) in names.items()},
        "y": y.tolist(),
        "dloss": {"x": x.grad.tolist(), **{name: slope().tolist() for name, (_, slope) in names.items()}},
    }


def attention(more=None, head=WIDE // HEADS, **flags):
    """An attention, and the names of its parameters; `more`: names of what the flags add, a function of the module."""
    module = moved(Attention(WIDE, dim_head=head, heads=HEADS, **flags))
    module.attend.attn_fn = partial(torch.softmax, dim=-1)  # theirs is in float32, except with qk_norm
    ours = {"scorer.q": module.to_q, "scorer.k": module.to_k, "value.v": module.to_v}
    if not flags.get("on_attn"):
        ours["value.out"] = module.to_out
    names = {f"{name}.weight": same(map.weight) for name, map in ours.items()}
    return module, {**names, **(more(module) if more else {})}


def flat(parameter, moved_by=0.0):
    return (lambda: parameter.flatten() + moved_by), (lambda: parameter.grad.flatten())


def in_order(modules, x):
    for module in modules:
        x = x + module(x)
    return x


def with_first_values(modules, x):
    out, kept = modules[0](x, return_intermediates=True)
    x = x + out
    return x + modules[1](x, value_residual=kept.values)


def sublayers():
    yield from values()
    yield from networks()
    yield from scores()
    yield from gates()


def values():
    plain = {"name": "self", "scorer": {"kind": "dot", "bias": False}}
    value = {"kind": "heads_proj", "bias": False, "norm": True, "norm_eps": 1e-15}
    more = lambda m: {"value.gain": flat(m.value_rmsnorm.gamma, 1.0)}
    build = lambda: attention(more, value_rmsnorm=True)
    yield "value_rmsnorm", of_sublayers({**plain, "value": value}, [build()], in_order)
    form = {**plain, "value": value, "value_carry": "first_layer"}
    yield "value_rmsnorm_value_residual", of_sublayers(form, [build(), build()], with_first_values)


def network(more=None, **flags):
    """A feed-forward network of width 2 D, and the names of its parameters; `more`: as in attention()."""
    module = moved(FeedForward(WIDE, mult=2, **flags))
    first, last = module.ff[0], module.ff[-1]
    names = {"ffn.out.weight": same(last.weight), "ffn.out.bias": same(last.bias)}
    if flags.get("glu"):
        rows = {"in": slice(0, 2 * WIDE), "gate": slice(2 * WIDE, 4 * WIDE)}
        for name, part in rows.items():
            names |= {f"ffn.{name}.{kind}": rows_of(getattr(first.proj, kind), part) for kind in ("weight", "bias")}
    else:
        names |= {"ffn.in.weight": same(first[0].weight), "ffn.in.bias": same(first[0].bias)}
    return module, {**names, **(more(module) if more else {})}


def rows_of(parameter, part):
    return (lambda: parameter[part]), (lambda: parameter.grad[part])


def networks():
    normed = {"inner_norm": "layernorm_no_bias", "inner_dropout": 0}
    gamma = lambda m: {"ffn.norm.weight": same(m.ff[1].gamma)}
    form = {"name": "ffn", "ffn": {"kind": "mlp", "act": "gelu", **normed}}
    yield "post_act_ln", of_sublayers(form, [network(gamma, post_act_ln=True)], in_order)
    form = {"name": "ffn", "ffn": {"kind": "glu", "act": "gelu", **normed}}
    yield "glu_post_act_ln", of_sublayers(form, [network(gamma, glu=True, post_act_ln=True)], in_order)
    gain = lambda m: {"ffn.gain": same(m.ff[0].mult_bias)}
    form = {"name": "ffn", "ffn": {"kind": "glu", "act": "silu", "gain": True}}
    yield "glu_mult_bias", of_sublayers(form, [network(gain, glu=True, glu_mult_bias=True, swish=True)], in_order)


def scores():
    value = {"kind": "heads_proj", "bias": False}
    unit = {"kind": "qk_norm", "bias": False, "form": "l2", "eps": 1e-15}
    form = {"name": "self", "scorer": {**unit, "gain": "none"}, "value": value}
    yield "qk_norm", of_sublayers(form, [attention(qk_norm=True)], in_order)
    form = {"name": "self", "scorer": {**unit, "gain": "heads", "groups": 2, "factor": 6}, "value": value}
    gains = lambda m: {"scorer.q_gain": flat(m.qk_norm_q_scale), "scorer.k_gain": flat(m.qk_norm_k_scale)}
    flags = {"qk_norm": True, "qk_norm_groups": 2, "qk_norm_scale": 6, "qk_norm_dim_scale": True, "head": 2 * WIDE // HEADS}
    yield "qk_norm_groups", of_sublayers(form, [attention(gains, **flags)], in_order, flags["head"])


def gates():
    plain = {"name": "self", "scorer": {"kind": "dot", "bias": False}, "value": {"kind": "heads_proj", "bias": False}}
    names = lambda map: lambda m: {f"adjuster.gate.{kind}": same(getattr(map(m), kind)) for kind in ("weight", "bias")}
    values = names(lambda m: m.to_v_gate)
    form = {**plain, "adjuster": {"kind": "output_gate", "bias": True}}
    yield "gate_values", of_sublayers(form, [attention(values, gate_values=True)], in_order)
    form = {**plain, "adjuster": {"kind": "output_gate", "bias": True, "act": "silu"}}
    yield "swiglu_values", of_sublayers(form, [attention(values, gate_values=True, swiglu_values=True)], in_order)
    heads = names(lambda m: m.to_v_head_gate)
    form = {**plain, "adjuster": {"kind": "output_gate", "grain": "headwise", "bias": True}}
    yield "gate_value_heads", of_sublayers(form, [attention(heads, gate_value_heads=True)], in_order)

    aoa = lambda m: {
        "adjuster.information.weight": rows_of(m.to_out[0].weight, slice(0, WIDE)),
        "adjuster.gate.weight": rows_of(m.to_out[0].weight, slice(WIDE, 2 * WIDE)),
    }
    adjuster = {"kind": "aoa", "query": False, "bias": False}
    form = {**plain, "value": {"kind": "heads_noproj", "bias": False}, "adjuster": adjuster}
    yield "on_attn", of_sublayers(form, [attention(aoa, on_attn=True)], in_order)


print(
    json.dumps(
        {"x": X.tolist(), "s": S.tolist(), "forms": FORMS, "wide": LONG.tolist(), "sublayers": dict(sublayers())},
        separators=(",", ":"),
    )
)
