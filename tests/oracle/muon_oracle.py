#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Golden cases of optimizer "muon": twenty updates by torch.optim.Muon of PyTorch 2.11 on matrices and gradients from a formula.

    python3 tests/oracle/muon_oracle.py > tests/oracle/muon.json      (needs torch 2.11 and numpy)

torch multiplies in bfloat16 whatever the matrix is. The values here are torch's own code with those products in float64, which
float32 products reach to 1e-6; "bfloat16" is the weight's largest difference when torch runs as it is.
"""
import json
import math

import torch

STEPS, KEPT_DIGITS = 20, 9
CASES = [
    {"rows": 6, "columns": 10, "nesterov": True, "scale": "original", "weight_decay": 0.1, "momentum": 0.95},
    {"rows": 10, "columns": 6, "nesterov": True, "scale": "original", "weight_decay": 0.1, "momentum": 0.95},
    {"rows": 8, "columns": 8, "nesterov": False, "scale": "original", "weight_decay": 0.0, "momentum": 0.9},
    {"rows": 4, "columns": 12, "nesterov": True, "scale": "match_rms_adamw", "weight_decay": 0.1, "momentum": 0.95},
]


def matrix(case, of, step):
    """W0 is step 0, the gradient of a step that of its number; muon_test.cpp has the same formula."""
    def element(i):
        return of(0.37 * i + 1.3 * step + 0.011 * i * i + 0.5 * (i % 3) * step)
    rows, columns = case["rows"], case["columns"]
    return torch.tensor([[element(r * columns + c) for c in range(columns)] for r in range(rows)], dtype=torch.float64)


def train(case, dtype):
    parameter = torch.nn.Parameter(matrix(case, math.sin, 0).to(dtype))
    optimizer = torch.optim.Muon([parameter], lr=0.0, weight_decay=case["weight_decay"], momentum=case["momentum"],
                                 nesterov=case["nesterov"], adjust_lr_fn=case["scale"])
    for step in range(1, STEPS + 1):
        optimizer.param_groups[0]["lr"] = 0.002 * step
        parameter.grad = matrix(case, math.cos, step).to(dtype)
        optimizer.step()
    return parameter.detach().double()


def main():
    published = [train(case, torch.float32) for case in CASES]
    torch.Tensor.bfloat16 = lambda x: x.double().clone()  # torch divides in place
    made = []
    for case, reduced in zip(CASES, published):
        values = train(case, torch.float64)
        made.append({**case, "bfloat16": round(float((values - reduced).abs().max()), 4),
                     "values": [[round(v, KEPT_DIGITS) for v in row] for row in values.tolist()]})
    print(json.dumps({"torch": torch.__version__, "steps": STEPS, "cases": made}, indent=1))


if __name__ == "__main__":
    main()
