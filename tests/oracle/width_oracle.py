#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Golden case of dims.base_d: starts and factors of rates and weight decay as the authors' package "mup" has them (microsoft/mup
1.0.0), for a decoder of one layer whose base model is narrower.

    python3 tests/oracle/width_oracle.py > tests/oracle/width.json      (needs torch, mup 1.0.0, pandas, seaborn, tqdm, pyyaml)

Every parameter gets, in place of random values, the standard deviation that PyTorch's defaults give it; what mup makes of it is
the deviation in its parametrisation. "start" is that divided by PyTorch's, "rate" and "decay" are mup.MuAdamW's factors.
"""
import json
import math

import torch
from mup import MuAdamW, MuReadout, set_base_shapes
from torch import nn

SIZES = {"d": 64, "f": 192, "heads": 4, "vocabulary": 13, "max_len": 16}
BASE = {"d": 16, "f": 48, "heads": 2, "vocabulary": 13, "max_len": 16}
LAYER = "decoder.layers.0."


class Decoder(nn.Module):
    """Only the shapes of the parameters count. Paths are Heddle's, with "/" for "."."""

    def __init__(self, d, f, heads, vocabulary, max_len):
        super().__init__()
        made = {"embed.shared": nn.Embedding(vocabulary, d), "position": nn.Embedding(max_len, d),
                "head": MuReadout(d, vocabulary)}
        for name in ("scorer.q", "scorer.k", "value.v", "value.out"):
            made[LAYER + "self." + name] = nn.Linear(d, d)
        made[LAYER + "ffn.ffn.in"] = nn.Linear(d, f)
        made[LAYER + "ffn.ffn.out"] = nn.Linear(f, d)
        for sublayer in ("self", "ffn"):
            made[LAYER + sublayer + ".norm"] = nn.LayerNorm(d)
        for path, module in made.items():
            self.add_module(path.replace(".", "/"), module)


def standard_deviations(model):
    """Of PyTorch's defaults: U(±1/√fan_in) for linear maps, N(0, 1) for tables; 1 and 0 for norms, which do not vary."""
    deviations = {}
    for path, module in model.named_modules():
        if isinstance(module, nn.Linear):
            for name, _ in module.named_parameters():
                deviations[f"{path}.{name}"] = 1 / math.sqrt(3 * module.in_features)
        elif isinstance(module, (nn.Embedding, nn.LayerNorm)):
            for name, _ in module.named_parameters():
                deviations[f"{path}.{name}"] = 1.0
    return deviations


def main():
    model, base, delta = Decoder(**SIZES), Decoder(**BASE), Decoder(**{**BASE, "d": 24, "f": 72})
    standard = standard_deviations(model)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.fill_(standard[name])
    set_base_shapes(model, base, delta=delta)
    lr, decay = 0.01, 0.1
    optimizer = MuAdamW([{"params": [p]} for p in model.parameters()], lr=lr, weight_decay=decay)
    groups = {id(p): group for group in optimizer.param_groups for p in group["params"]}
    parameters = {}
    for name, parameter in model.named_parameters():
        group = groups[id(parameter)]
        parameters[name.replace("/", ".")] = {
            "start": round(parameter.flatten()[0].item() / standard[name], 6),
            "rate": round(group["lr"] / lr, 9),
            "decay": round(group["weight_decay"] / decay, 9),
        }
    print(json.dumps({"mup": "1.0.0", "sizes": SIZES, "base": BASE, "output_factor": 1 / model._modules["head"].width_mult(),
                      "parameters": parameters}, indent=1))


if __name__ == "__main__":
    main()
