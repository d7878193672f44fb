#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Means of weights by numpy.

"cases", for WeightMean (engine/train/checkpoint/average.h): sums in float64, stored in the weights' type. "moving", for
MovingAverage (engine/train/step/moving_average.h): Σ β^(t−i) θ_i ÷ Σ β^(t−i), written out for every t.

    python3 tests/oracle/average_oracle.py > tests/unit/engine/train/checkpoint/cases/average_cases.json

Written with numpy 2.4.6. The values differ so much in size that a sum in float32 would give other digits.
"""
import json

import numpy as np

TYPES = {"float32": np.float32, "float16": np.float16, "float64": np.float64}


def main():
    random = np.random.default_rng(42)
    cases = []
    for name, kind in TYPES.items():
        for count in (2, 3, 10):
            scale = 10.0 ** random.integers(-3, 4, size=(1, 6))
            weights = (random.standard_normal((count, 6)) * scale).astype(kind)
            mean = (np.sum(weights.astype(np.float64), axis=0) / count).astype(kind)
            cases.append({"type": name, "weights": weights.astype(np.float64).tolist(), "mean": mean.astype(np.float64).tolist()})
    assert any((np.sum(np.array(c["weights"], np.float32), axis=0) / len(c["weights"])).tolist() != c["mean"]
               for c in cases if c["type"] == "float32")
    moving = []
    for decay in (0.5, 0.9, 0.999):
        weights = random.standard_normal((12, 3))
        means = []
        for t in range(1, len(weights) + 1):
            shares = decay ** np.arange(t - 1, -1, -1, dtype=np.float64)
            means.append((shares @ weights[:t] / shares.sum()).tolist())
        moving.append({"decay": decay, "weights": weights.tolist(), "means": means})
    print(json.dumps({"numpy": np.__version__, "cases": cases, "moving": moving}, indent=1))


if __name__ == "__main__":
    main()
