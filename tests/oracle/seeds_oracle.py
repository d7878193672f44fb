#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares Heddle's statistics over seeds with scipy's and statsmodels'.

Makes studies of two variants with 2 to 12 seeds each, some correlated, some of unequal size, and has core_test check differences,
standard errors, degrees of freedom, p values, intervals, correlations, exact sign flips, equivalence, smallest detectable
differences and Holm's correction against theirs to 1e-9 (detectable differences to 1e-6: both find them by iteration; bootstrap
intervals to 4 % of the standard error: both draw):

    pip install scipy statsmodels
    python3 tests/oracle/seeds_oracle.py --test build/release/bin/core_test [--cases 500]

With --write FILE the cases are only written; tests/unit/engine/analysis/cases/seed_cases.json was made with
--write … --cases 60 --seed 1 by scipy 1.17.1 and statsmodels 0.15.0. The suite reads that file and needs no Python.
"""
import sys

import numpy as np
import scipy
import statsmodels
from scipy import optimize, stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.weightstats import ttost_ind, ttost_paired

from oracle import options_of, write_or_test


def paired(rng, alpha):
    n = int(rng.integers(2, 13))
    shared = rng.normal(size=n)
    rho = rng.uniform(0, 0.95)
    a = 3 + 0.1 * (np.sqrt(rho) * shared + np.sqrt(1 - rho) * rng.normal(size=n)) + rng.choice([0, 0.05, -0.2])
    b = 3 + 0.1 * (np.sqrt(rho) * shared + np.sqrt(1 - rho) * rng.normal(size=n))
    test = stats.ttest_rel(a, b)
    interval = test.confidence_interval(1 - alpha)
    margin = float(rng.uniform(0.02, 0.3))
    flips = stats.permutation_test((a - b,), np.mean, permutation_type="samples", n_resamples=np.inf)
    return {"test": "paired", "variant": a.tolist(), "baseline": b.tolist(), "alpha": alpha, "difference": float(np.mean(a - b)),
            "freedom": n - 1, "error": float(stats.sem(a - b)), "p": test.pvalue, "low": interval.low, "high": interval.high,
            "correlation": stats.pearsonr(a, b)[0] if n > 2 else None, "sign_flip": flips.pvalue, "margin": margin,
            "equivalence": ttost_paired(a, b, -margin, margin)[0]}


def welch(rng, alpha):
    n, m = (int(k) for k in rng.integers(2, 13, size=2))
    a = rng.normal(3, rng.uniform(0.05, 0.3), size=n) + rng.choice([0, 0.1, -0.4])
    b = rng.normal(3, 0.1, size=m)
    test = stats.ttest_ind(a, b, equal_var=False)
    interval = test.confidence_interval(1 - alpha)
    margin = float(rng.uniform(0.02, 0.3))
    return {"test": "welch", "variant": a.tolist(), "baseline": b.tolist(), "alpha": alpha,
            "difference": float(np.mean(a) - np.mean(b)), "freedom": float(test.df),
            "error": float(np.hypot(stats.sem(a), stats.sem(b))), "p": test.pvalue, "low": interval.low, "high": interval.high,
            "correlation": None, "sign_flip": None, "margin": margin,
            "equivalence": ttost_ind(a, b, -margin, margin, usevar="unequal")[0]}


def detectable(test, n, alpha, power):
    """By the non-central t; statsmodels' solve_power gives up on some of these."""
    freedom, runs = (n - 1, n) if test == "paired" else (2 * n - 2, n / 2)
    critical = stats.t.ppf(1 - alpha / 2, freedom)

    def lacks(shift):
        # scipy's lower tail is NaN where it is 0 to double precision.
        return stats.nct.sf(critical, freedom, shift) + np.nan_to_num(stats.nct.cdf(-critical, freedom, shift)) - power

    most = 1.0
    while lacks(most) < 0:
        most *= 1.5
    return {"test": test, "n": n, "alpha": alpha, "power": power,
            "size": float(optimize.brentq(lacks, 0, most, xtol=1e-12) / np.sqrt(runs))}


def bca(rng, test):
    """Skewed values: there the interval is far from the one of percentiles alone. scipy resamples, so it is near, not equal."""
    n, m = (int(k) for k in rng.integers(8, 15, size=2))
    a, b = rng.lognormal(0, 0.8, size=n), rng.lognormal(-0.3, 0.8, size=n if test == "paired" else m)
    if test == "paired":
        found = stats.bootstrap((a - b,), np.mean, method="BCa", n_resamples=400_000, batch=20_000, rng=rng)
    else:
        found = stats.bootstrap((a, b), lambda x, y, axis: np.mean(x, axis=axis) - np.mean(y, axis=axis), paired=False,
                                method="BCa", n_resamples=400_000, batch=20_000, rng=rng)
    return {"test": test, "variant": a.tolist(), "baseline": b.tolist(), "low": found.confidence_interval.low,
            "high": found.confidence_interval.high, "error": float(found.standard_error)}


def holm(rng):
    p = np.minimum(rng.uniform(size=int(rng.integers(1, 21))) ** 3, 1)
    return {"p": p.tolist(), "corrected": multipletests(p, method="holm")[1].tolist()}


def main():
    parser = options_of(__doc__, test="core_test", cases=500, cases_help="studies of each kind")
    arguments = parser.parse_args()
    rng = np.random.default_rng(arguments.seed)
    alphas = (0.05, 0.01, 0.0025)
    studies = [kind(rng, alphas[i % 3]) for i in range(arguments.cases // 2) for kind in (paired, welch)]
    powers = [detectable(test, n, alpha, power) for test in ("paired", "welch") for n in (3, 4, 5, 6, 10, 20)
              for alpha in (0.05, 0.0025) for power in (0.8, 0.9)]
    document = {"made_by": f"scipy {scipy.__version__}, statsmodels {statsmodels.__version__}, numpy {np.__version__}",
                "studies": studies, "detectable": powers, "holm": [holm(rng) for _ in range(arguments.cases // 6)],
                "bootstrap": [bca(rng, test) for _ in range(max(3, arguments.cases // 100)) for test in ("paired", "welch")]}
    return write_or_test(parser, arguments, document, variable="HEDDLE_SEED_CASES", filter="SeedOracle.*",
                         summary=f"{len(studies)} studies, {len(powers)} powers")


if __name__ == "__main__":
    sys.exit(main())
