#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares `heddle compare --items` with scikit-learn (F1, accuracy), sacreBLEU (BLEU, chrF) and statsmodels.

Makes predictions or outputs of several seeds, has scikit-learn or sacreBLEU score them whole and without each item, and takes error
and degrees of freedom from statsmodels' analysis of variance of the pseudovalues, as comparisons_oracle.py does:

    pip install scikit-learn sacrebleu statsmodels
    python3 tests/oracle/items_oracle.py --test build/release/bin/session_test [--cases 10]

With --write FILE the cases are only written; tests/unit/app/cli/cases/item_cases.json was made with --write … --cases 1 --seed 1 by
scikit-learn 1.9.1, sacrebleu 2.6.0, statsmodels 0.15.0 and numpy 2.4.6. The suite reads that file and needs no Python.
"""
import sys

import numpy as np
import sacrebleu
import sklearn
import statsmodels
from sacrebleu.metrics import BLEU, CHRF
from scipy import stats
from sklearn.metrics import accuracy_score, f1_score

from comparisons_oracle import mean_squares
from oracle import options_of, write_or_test

WORDS = "a man in blue shirt is standing on ladder cleaning the window of tall building while two dogs run across grass .".split()
TEXTS = {"bleu": BLEU, "chrf": CHRF}


def score(metric, classes, outputs, wanted):
    if metric in TEXTS:
        return TEXTS[metric]().corpus_score(outputs, [wanted]).score
    if metric == "accuracy":
        return accuracy_score(wanted, outputs)
    if len(classes) == 2:
        return f1_score(wanted, outputs, pos_label=classes[1], zero_division=0)
    return f1_score(wanted, outputs, average="macro", zero_division=0)


def pseudovalues(metric, classes, outputs, wanted):
    n, whole = len(wanted), score(metric, classes, outputs, wanted)
    rest = np.array([score(metric, classes, outputs[:i] + outputs[i + 1:], wanted[:i] + wanted[i + 1:]) for i in range(n)])
    values = n * whole - (n - 1) * rest
    return values + whole - values.mean()


def difference(metric, classes, variant, baseline, wanted):
    """Welch's layout: seeds are no pairs (Hillis 2007)."""
    sides = [np.array([pseudovalues(metric, classes, run, wanted) for run in runs]) for runs in (variant, baseline)]
    of_seeds, of_both, squares = 0, 0, 0
    for side in sides:
        seeds, _, rest = mean_squares(side)
        of_seeds += seeds / side.size
        of_both += rest / side.size
        squares += (seeds / side.size) ** 2 / (len(side) - 1)
    of_items = np.var(sides[0].mean(0) - sides[1].mean(0), ddof=1) / len(wanted)
    variance = of_seeds + max(of_items - of_both, 0)
    freedom = min(variance ** 2 / squares, len(wanted) - 1)
    found = sides[0].mean() - sides[1].mean()
    reach = stats.t.ppf(0.975, freedom) * np.sqrt(variance)
    return {"difference": float(found), "error": float(np.sqrt(variance)), "seed_error": float(np.sqrt(of_seeds)),
            "item_error": float(np.sqrt(of_items)), "freedom": float(freedom),
            "p": float(2 * stats.t.sf(abs(found) / np.sqrt(variance), freedom)), "low": float(found - reach),
            "high": float(found + reach)}


def predictions(rng, metric, classes):
    wanted = [classes[k] for k in rng.choice(len(classes), size=60)]
    hard = rng.uniform(0.1, 0.9, size=60)

    def run(skill):
        skill += 0.05 * rng.normal()
        return [label if rng.random() < skill - 0.3 * h else classes[rng.integers(len(classes))] for label, h in zip(wanted, hard)]

    return case(metric, classes, [run(0.9) for _ in range(3)], [run(0.6) for _ in range(2)], wanted)


def texts(rng, metric):
    wanted = [" ".join(rng.choice(WORDS, size=rng.integers(5, 12))) for _ in range(40)]

    def run(rate):
        rate += 0.03 * rng.normal()
        return [" ".join(str(rng.choice(WORDS)) if rng.random() < rate else word for word in line.split()) for line in wanted]

    return case(metric, [], [run(0.15) for _ in range(2)], [run(0.3) for _ in range(3)], wanted)


def case(metric, classes, variant, baseline, wanted):
    return {"metric": metric, "classes": classes, "wanted": wanted, "variant": variant, "baseline": baseline,
            "score": float(np.mean([score(metric, classes, run, wanted) for run in variant])),
            **difference(metric, classes, variant, baseline, wanted)}


def main():
    parser = options_of(__doc__, test="session_test", cases=10, cases_help="cases of each metric")
    arguments = parser.parse_args()
    rng = np.random.default_rng(arguments.seed)
    cases = []
    for _ in range(arguments.cases):
        cases += [predictions(rng, "accuracy", ["no", "yes"]), predictions(rng, "f1", ["no", "yes"]),
                  predictions(rng, "f1", ["red", "green", "blue"]), texts(rng, "bleu"), texts(rng, "chrf")]
    document = {"made_by": f"scikit-learn {sklearn.__version__}, sacrebleu {sacrebleu.__version__}, statsmodels "
                           f"{statsmodels.__version__}, numpy {np.__version__}", "cases": cases}
    return write_or_test(parser, arguments, document, variable="HEDDLE_ITEM_CASES", filter="CompareItems.EqualThose*",
                         summary=f"{len(cases)} comparisons")


if __name__ == "__main__":
    sys.exit(main())
