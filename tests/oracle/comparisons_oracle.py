#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares Heddle's noise floor, rank tests, two-level intervals, bands of learning curves and scaling fits with numbers of scipy
and statsmodels.

Noise floors: statsmodels' residual mean square of a model with one mean a group. Rank tests: scipy's exact wilcoxon and
mannwhitneyu, and its permutation_test over all permutations where there are ties. Two levels: the analysis of variance of
statsmodels on pseudovalues, from which Hillis's error and degrees of freedom follow. Bands: scipy's t and brentq on Worsley's
bound. Scaling fits: linregress, and curve_fit on log losses:

    pip install scipy statsmodels pandas
    python3 tests/oracle/comparisons_oracle.py --test build/release/bin/core_test [--cases 200]

With --write FILE the cases are only written; tests/unit/engine/analysis/cases/comparison_cases.json was made with
--write … --cases 24 --seed 1 by scipy 1.17.1, statsmodels 0.15.0 and numpy 2.4.6. The suite reads that file and needs no Python.
"""
import sys

import numpy as np
import pandas
import scipy
import statsmodels
from scipy import optimize, stats
from statsmodels.formula.api import ols
from statsmodels.stats.anova import anova_lm

from oracle import options_of, write_or_test


def noise(rng):
    groups = [rng.normal(rng.uniform(1, 5), 0.1, size=int(rng.integers(2, 7))).tolist() for _ in range(int(rng.integers(1, 5)))]
    frame = pandas.DataFrame([(value, f"g{i}") for i, group in enumerate(groups) for value in group], columns=["y", "g"])
    model = ols("y ~ C(g)" if len(groups) > 1 else "y ~ 1", frame).fit()
    n = int(rng.integers(1, 8))
    return {"groups": groups, "n": n, "freedom": model.df_resid, "deviation": float(np.sqrt(model.mse_resid)),
            "reach": float(stats.t.ppf(0.975, model.df_resid) * np.sqrt(model.mse_resid * 2 / n))}


def signed_rank(differences):
    ranks = stats.rankdata(np.abs(differences))
    return np.sum(ranks[differences > 0])


def paired_ranks(rng, ties):
    n = int(rng.integers(2, 11))
    a, b = rng.normal(3, 0.3, size=n) + rng.choice([0, 0.3]), rng.normal(3, 0.3, size=n)
    if ties:
        a, b = np.round(10 * a), np.round(10 * b)
    kept = (a - b)[a != b]
    if len(kept) < 2:
        return paired_ranks(rng, ties)
    if ties:
        p = stats.permutation_test((kept,), signed_rank, permutation_type="samples", n_resamples=np.inf,
                                   vectorized=False).pvalue
    else:
        p = stats.wilcoxon(a, b, method="exact").pvalue
    return {"test": "paired", "variant": a.tolist(), "baseline": b.tolist(), "median": float(np.median(a - b)), "p": float(p)}


def apart_ranks(rng, ties):
    n, m = (int(k) for k in rng.integers(2, 8, size=2))
    a, b = rng.normal(3, 0.3, size=n) + rng.choice([0, 0.4]), rng.normal(3, 0.2, size=m)
    if ties:
        a, b = np.round(10 * a), np.round(10 * b)
        p = stats.permutation_test((a, b), lambda x, y: np.sum(stats.rankdata(np.concatenate([x, y]))[:len(x)]),
                                   permutation_type="independent", n_resamples=np.inf, vectorized=False).pvalue
    else:
        p = stats.mannwhitneyu(a, b, method="exact").pvalue
    return {"test": "welch", "variant": a.tolist(), "baseline": b.tolist(), "median": float(np.median(a) - np.median(b)),
            "p": float(p)}


def score(kind, sums):
    return sums[0] / sums[1] if kind == "ratio" else 2 * sums[0] / (sums[1] + sums[2])


def pseudovalues(kind, terms):
    n = len(terms)
    whole = score(kind, terms.sum(0))
    rest = np.array([score(kind, np.delete(terms, i, axis=0).sum(0)) for i in range(n)])
    values = n * whole - (n - 1) * rest
    return values + whole - values.mean()


def mean_squares(values):
    """Of seeds, items and the rest, by statsmodels."""
    frame = pandas.DataFrame([(v, f"s{s}", f"i{i}") for s, row in enumerate(values) for i, v in enumerate(row)],
                             columns=["y", "s", "i"])
    table = anova_lm(ols("y ~ C(s) + C(i)", frame).fit())
    return [table["sum_sq"][name] / table["df"][name] for name in ("C(s)", "C(i)", "Residual")]


def two_levels(rng, kind, test):
    seeds = [int(k) for k in rng.integers(2, 5, size=2)]
    if test == "paired":
        seeds[1] = seeds[0]
    items = int(rng.integers(20, 31))
    hard = rng.normal(size=items)

    def run(shift):
        right = (hard + rng.normal(size=items) + shift + 0.2 * rng.normal() > 0).astype(float)
        if kind == "ratio":
            return np.stack([right * rng.integers(1, 4, size=items), np.full(items, 3.0)], 1)
        return np.stack([right, np.ones(items), rng.integers(1, 3, size=items).astype(float)], 1)

    variant, baseline = [run(0.5) for _ in range(seeds[0])], [run(0) for _ in range(seeds[1])]
    a, b = (np.array([pseudovalues(kind, terms) for terms in side]) for side in (variant, baseline))
    layouts = [a - b] if test == "paired" else [a, b]
    of_seeds, of_both, freedom = 0, 0, 0
    for one in layouts:
        s, _, rest = mean_squares(one)
        of_seeds += s / one.size
        of_both += rest / one.size
        freedom += (s / one.size) ** 2 / (len(one) - 1)
    of_items = np.var(a.mean(0) - b.mean(0), ddof=1) / items
    variance = of_seeds + max(of_items - of_both, 0)
    freedom = min(variance ** 2 / freedom, items - 1)
    difference = np.mean([score(kind, t.sum(0)) for t in variant]) - np.mean([score(kind, t.sum(0)) for t in baseline])
    reach = stats.t.ppf(0.975, freedom) * np.sqrt(variance)
    return {"metric": kind, "test": test, "variant": [t.ravel().tolist() for t in variant],
            "baseline": [t.ravel().tolist() for t in baseline], "difference": float(difference), "error": float(np.sqrt(variance)),
            "seed_error": float(np.sqrt(of_seeds)), "item_error": float(np.sqrt(of_items)), "freedom": float(freedom),
            "p": float(2 * stats.t.sf(abs(difference) / np.sqrt(variance), freedom)), "low": float(difference - reach),
            "high": float(difference + reach)}


def curves(rng, test):
    n, m = (int(k) for k in rng.integers(3, 8, size=2))
    m = n if test == "paired" else m
    places = np.cumsum(rng.integers(1, 4, size=int(rng.integers(8, 16)))).astype(float) * 50
    wobble = 0 if rng.random() < 0.5 else 1
    a, b = (3 + rng.normal(size=(k, 1)) * 0.1 + wobble * 0.05 * rng.normal(size=(k, len(places))) + 0.02 * rng.normal(size=(k, 1))
            * np.linspace(0, 1, len(places)) for k in (n, m))
    a = a - 0.1
    if test == "paired":
        parts, freedoms = [(a - b, n)], np.full(len(places), float(n - 1))
    else:
        parts = [(a, n), (b, m)]
        freedoms = stats.ttest_ind(a, b, equal_var=False).df
    freedom = freedoms.mean()
    u = np.concatenate([(x - x.mean(0)) / np.sqrt(k * (k - 1)) for x, k in parts])
    error = np.sqrt((u ** 2).sum(0))
    length = float(np.sqrt((np.diff(u / error, axis=1) ** 2).sum(0)).sum())
    bonferroni = stats.t.isf(0.05 / 2 / len(places), freedom)

    def lacks(c):
        return 2 * (stats.t.sf(c, freedom) + length / (2 * np.pi) * (1 + c * c / freedom) ** (-(freedom - 1) / 2)) - 0.05

    critical = bonferroni if lacks(bonferroni) >= 0 else optimize.brentq(lacks, 0.1, bonferroni, xtol=1e-13)
    level = 2 * stats.t.sf(critical, freedom)
    reach = stats.t.isf(level / 2, freedoms) * error
    heights = [np.trapezoid(x, places, axis=1) / (places[-1] - places[0]) for x in (a, b)]
    area = stats.ttest_rel(*heights) if test == "paired" else stats.ttest_ind(*heights, equal_var=False)
    difference = a.mean(0) - b.mean(0)
    return {"test": test, "places": places.tolist(), "variant": a.tolist(), "baseline": b.tolist(), "level": float(level),
            "low": (difference - reach).tolist(), "high": (difference + reach).tolist(),
            "area": float(np.mean(heights[0]) - np.mean(heights[1])), "area_p": float(area.pvalue)}


def scaling(rng, has_floor):
    sizes = np.repeat(10.0 ** np.linspace(6, 9, int(rng.integers(4, 7))), int(rng.integers(2, 4)))
    truth = (4 * (sizes / 1e6) ** -0.4 + 2) if has_floor else 5 * (sizes / 1e6) ** -0.1
    losses = truth * np.exp(0.004 * rng.normal(size=len(sizes)))
    x, y = np.log(sizes), np.log(losses)
    if not has_floor:
        fit = stats.linregress(x, y)
        freedom = len(x) - 2
        reach = stats.t.ppf(0.975, freedom) * fit.stderr
        return {"sizes": sizes.tolist(), "losses": losses.tolist(), "exponent": -fit.slope, "low": -fit.slope - reach,
                "high": -fit.slope + reach, "factor": float(np.exp(fit.intercept)), "has_floor": False}
    z = x - x.mean()
    best, covariance = optimize.curve_fit(lambda z, p, b, c: np.log(np.exp(p - b * z) + c), z, y, p0=[0.5, 0.4, 2],
                                          xtol=1e-14, ftol=1e-14, gtol=1e-14, max_nfev=100000, method="trf",
                                          jac=lambda z, p, b, c: np.stack([np.exp(p - b * z), -z * np.exp(p - b * z),
                                                                           np.ones_like(z)], 1)
                                          / (np.exp(p - b * z) + c)[:, None])
    reach = stats.t.ppf(0.975, len(x) - 3) * np.sqrt(np.diag(covariance))
    return {"sizes": sizes.tolist(), "losses": losses.tolist(), "exponent": best[1], "low": best[1] - reach[1],
            "high": best[1] + reach[1], "floor": best[2], "floor_low": best[2] - reach[2], "floor_high": best[2] + reach[2],
            "has_floor": True}


def main():
    parser = options_of(__doc__, test="core_test", cases=200, cases_help="cases of each kind")
    arguments = parser.parse_args()
    rng = np.random.default_rng(arguments.seed)
    count = arguments.cases
    document = {
        "made_by": f"scipy {scipy.__version__}, statsmodels {statsmodels.__version__}, numpy {np.__version__}",
        "noise": [noise(rng) for _ in range(count)],
        "ranks": [kind(rng, ties) for _ in range(count // 4) for kind in (paired_ranks, apart_ranks) for ties in (False, True)],
        "two_levels": [two_levels(rng, kind, test) for _ in range(max(count // 12, 1)) for kind in ("ratio", "f1")
                       for test in ("paired", "welch")],
        "curves": [curves(rng, test) for _ in range(max(count // 6, 1)) for test in ("paired", "welch")],
        "scaling": [scaling(rng, has_floor) for _ in range(count // 2) for has_floor in (False, True)]}
    return write_or_test(parser, arguments, document, variable="HEDDLE_COMPARISON_CASES", filter="ComparisonOracle.*",
                         summary=f"{count} cases of each kind")


if __name__ == "__main__":
    sys.exit(main())
