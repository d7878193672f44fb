#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares Heddle's paired bootstrap and approximate randomisation with sacreBLEU's (PyPI, 2.x), and its random numbers with
numpy's.

Makes pairs of outputs for the same references, tests them with sacreBLEU's PairedTest under its own seed, and has core_test
check that p is the same number, and means and intervals are equal to 1e-4 (sacreBLEU sums in single precision):

    pip install sacrebleu
    python3 tests/oracle/significance_oracle.py --test build/release/bin/core_test [--cases 40]

With --write FILE the cases are only written; tests/unit/engine/analysis/cases/significance_cases.json was made with
--write … --cases 8 --seed 1 by sacrebleu 2.6.0 and numpy 2.4.6. The suite reads that file and needs no Python.
"""
import random
import sys

import numpy as np
import sacrebleu
from sacrebleu.metrics import BLEU, CHRF
from sacrebleu.significance import PairedTest

from oracle import options_of, write_or_test

WORDS = ("a man in blue shirt is standing on ladder cleaning the window of tall building while two dogs run across green grass "
         "near small river , . old woman reads paper").split()
METRICS = {"bleu": lambda: BLEU(), "bleu-lc": lambda: BLEU(lowercase=True, tokenize="none"), "chrf": lambda: CHRF(),
           "chrf++": lambda: CHRF(word_order=2)}


def damaged(rng, line, rate):
    words = [rng.choice(WORDS) if rng.random() < rate else word for word in line.split() if rng.random() > rate / 4]
    return " ".join(words)


def case(rng, number):
    count = rng.randrange(25, 120)
    references = [" ".join(rng.choice(WORDS) for _ in range(rng.randrange(4, 14))) for _ in range(count)]
    baseline = [damaged(rng, line, rng.uniform(0.1, 0.5)) for line in references]
    shift = rng.choice([0, 0.02, 0.1])
    variant = [damaged(rng, line, max(rng.uniform(0.1, 0.5) - shift, 0)) if rng.random() < 0.6 else before
               for line, before in zip(references, baseline)]
    name = list(METRICS)[number % len(METRICS)]
    results = {}
    for test in ("bs", "ar"):
        signatures, scores = PairedTest([("baseline", baseline), ("variant", variant)], {"m": METRICS[name]()}, [references],
                                        test_type=test)()
        key = next(k for k in scores if k != "System")
        first, second = scores[key]
        results[test] = {"score": second.score, "score_baseline": first.score, "p": second.p_value,
                         "signature": signatures[key].format()}
        if test == "bs":
            results[test] |= {"mean": float(second.mean), "reach": float(second.ci), "mean_baseline": float(first.mean),
                              "reach_baseline": float(first.ci)}
    return {"metric": name, "references": references, "variant": variant, "baseline": baseline, **results}


def numbers():
    draws = np.random.default_rng(12345).integers(0, 3_000_000_000, size=1000)
    coins = np.random.default_rng(12345).integers(2, size=(10, 100), dtype=bool)
    return {"choice": np.random.default_rng(12345).choice(1014, size=(5, 20)).ravel().tolist(), "large": draws.tolist(),
            "coins": "".join(str(int(coin)) for coin in coins.ravel()),
            "other_seed": np.random.default_rng(7).choice(1014, size=20).tolist()}


def main():
    parser = options_of(__doc__, test="core_test", cases=40)
    arguments = parser.parse_args()
    rng = random.Random(arguments.seed)
    document = {"made_by": f"sacrebleu {sacrebleu.__version__}, numpy {np.__version__}", "numbers": numbers(),
                "pairs": [case(rng, number) for number in range(arguments.cases)]}
    return write_or_test(parser, arguments, document, variable="HEDDLE_SIGNIFICANCE_CASES", filter="SignificanceOracle.*",
                         summary=f"{arguments.cases} pairs of outputs")


if __name__ == "__main__":
    sys.exit(main())
