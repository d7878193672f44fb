#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Numbers of scipy for what Compare shows of groups of runs beside a baseline, and for straight lines.

    pip install scipy
    python3 tests/oracle/groups_oracle.py

writes tests/ui/compare/compare_cases.json (groups with seeds: means, deviations, paired and Welch tests, p corrected for one
family, simultaneous intervals, the noise floor) and tests/unit/engine/analysis/cases/line_cases.json (least squares). The files in
the repository are of scipy 1.17.1; the suite reads them and needs no Python.
"""
import json
import pathlib

import numpy as np
import scipy
from scipy import stats

ROOT = pathlib.Path(__file__).parents[2]


def holm(p, family):
    """Some p values of a family: the others count as larger ones."""
    corrected, most = {}, 0.0
    for rank, name in enumerate(sorted(p, key=p.get)):
        most = max(most, min(1.0, (family - rank) * p[name]))
        corrected[name] = most
    return corrected


def page(rng):
    seeds = {"base": range(1, 6), "paired": range(1, 6), "fewer": range(1, 4), "apart": range(11, 15), "alone": [1]}
    shared = rng.normal(size=20)
    shift = {"base": 0, "paired": -0.15, "fewer": 0.02, "apart": 0.1, "alone": 0.3}
    values = {g: {int(s): 2 + shift[g] + 0.05 * (shared[s] + rng.normal()) for s in all} for g, all in seeds.items()}
    base = values["base"]
    groups = {g: {"values": v, "mean": float(np.mean(list(v.values()))),
                  "deviation": float(np.std(list(v.values()), ddof=1)) if len(v) > 1 else None} for g, v in values.items()}
    compared = ["paired", "fewer", "apart"]
    alpha = 0.05 / len(compared)
    p = {"paired": {}, "welch": {}}
    for g in compared:
        common = sorted(set(values[g]) & set(base))
        if len(common) >= 2:
            test = stats.ttest_rel([values[g][s] for s in common], [base[s] for s in common])
            difference, kind = float(np.mean([values[g][s] - base[s] for s in common])), "paired"
        else:
            test = stats.ttest_ind(list(values[g].values()), list(base.values()), equal_var=False)
            difference, kind = groups[g]["mean"] - groups["base"]["mean"], "welch"
        interval = test.confidence_interval(1 - alpha)
        p[kind][g] = float(test.pvalue)
        groups[g] |= {"test": kind, "difference": difference, "low": float(interval.low), "high": float(interval.high)}
    for kind in p:
        for g, corrected in holm(p[kind], len(compared)).items():
            groups[g]["p"] = corrected
    scattered = [list(v.values()) for v in values.values() if len(v) > 1]
    freedom = sum(len(v) - 1 for v in scattered)
    pooled = np.sqrt(sum((len(v) - 1) * np.var(v, ddof=1) for v in scattered) / freedom)
    return {"groups": groups, "noise": float(stats.t.ppf(0.975, freedom) * pooled * np.sqrt(2 / len(base)))}


def line(rng):
    n = int(rng.integers(3, 30))
    x = rng.normal(size=n) * 100
    y = 0.02 * x + 3 + rng.normal(size=n)
    fit = stats.linregress(x, y)
    reach = stats.t.ppf(0.975, n - 2) * fit.stderr
    return {"x": x.tolist(), "y": y.tolist(), "slope": fit.slope, "intercept": fit.intercept, "correlation": fit.rvalue,
            "low": fit.slope - reach, "high": fit.slope + reach}


rng = np.random.default_rng(1)
for path, made in (("tests/ui/compare/compare_cases.json", {"pages": [page(rng) for _ in range(6)]}),
                   ("tests/unit/engine/analysis/cases/line_cases.json", {"lines": [line(rng) for _ in range(12)]})):
    (ROOT / path).write_text(json.dumps({"scipy": scipy.__version__} | made, indent=1) + "\n")
