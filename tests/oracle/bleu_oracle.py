#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares Heddle's BLEU with sacreBLEU (PyPI, 2.x).

Makes corpora of random text (ASCII, entities, all of Unicode) and, where given, of real text, scores them with sacreBLEU and
has core_test check Heddle's numbers against them to 1e-9, tokens of 13a and lower-casing included:

    pip install sacrebleu
    python3 tests/oracle/bleu_oracle.py --test build/release/bin/core_test [--cases 2000] [--text FILE[.gz]]...

With --write FILE the cases are only written; tests/unit/engine/metrics/cases/bleu_cases.json was made with
--write … --cases 60 --seed 1. The suite reads that file and needs no Python.
"""
import gzip
import random
import sys

import sacrebleu
from sacrebleu.metrics import BLEU
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

from oracle import options_of, write_or_test

WORDS = ("a the man woman dog runs , . ; : ! ? - -- 3 3.5 1,000 .5 5. 4-5 U.S. it's \" ' ( ) [ ] { } / \\ & &amp; &quot; &lt; "
         "&gt; &lt;skipped&gt; <skipped> @ # $ % ^ * + = ~ ` | _ é Ü ÄÖ ß İ Σ ΑΣ ΟΔΟΣ. „Wort“ » « … 你好 。 3。5 ٣.٥ ǅ Ⅷ 🙂 a\u00a0b x\u2003y "
         "don't O'Neill 9-foot A-1 e.g. $5.00 50% 10,000.00 …. ..., ,, .. 1. 2 ,3 and/or co-op").split(" ")


def random_word(rng):
    kind = rng.random()
    if kind < 0.75:
        return rng.choice(WORDS)
    if kind < 0.9:
        return "".join(chr(rng.randrange(33, 127)) for _ in range(rng.randrange(1, 8)))
    points = [rng.choice([rng.randrange(0x80, 0x2FF), rng.randrange(0x370, 0x530), rng.randrange(0x1E00, 0x2100),
                          rng.randrange(0x10400, 0x10500)]) for _ in range(rng.randrange(1, 6))]
    return "".join(chr(p) for p in points)


def random_line(rng):
    separators = [" "] * 20 + ["", "  ", "\t", "\u00a0", "\u2028", "\u3000", "\x1c", "\n", "-\n", "\r"]
    line = "".join(random_word(rng) + rng.choice(separators) for _ in range(rng.randrange(0, 14)))
    return line


def disturb(rng, line):
    """A hypothesis near its reference: words dropped, doubled, swapped, replaced."""
    words = []
    for word in line.split(" "):
        action = rng.random()
        if action < 0.1:
            continue
        words.append(random_word(rng) if action < 0.25 else word.upper() if action < 0.3 else word)
        if action > 0.95:
            words.append(word)
    return " ".join(words)


def make_case(rng, reference, options):
    hypotheses = [disturb(rng, line) if rng.random() < 0.95 else random_line(rng) for line in reference]
    return {"options": options, "hypotheses": hypotheses, "references": reference}


def score(case):
    options = case["options"]
    metric = BLEU(tokenize=options["tokenize"], smooth_method=options["smooth"], lowercase=options["lowercase"], force=True)
    result = metric.corpus_score(case["hypotheses"], [case["references"]])
    case["expected"] = {"bleu": result.score, "brevity_penalty": result.bp, "precisions": result.precisions,
                        "matches": [int(n) for n in result.counts], "totals": [int(n) for n in result.totals],
                        "hypothesis_length": int(result.sys_len), "reference_length": int(result.ref_len),
                        "signature": str(metric.get_signature()).split("|version:")[0]}
    return case


def make_document(count, seed, texts):
    rng = random.Random(seed)
    cases = []
    for number in range(count):
        options = {"tokenize": ["13a", "13a", "none", "char"][number % 4], "smooth": "none" if number % 5 == 4 else "exp",
                   "lowercase": number % 3 == 0}
        size = rng.choice([1, 1, 2, 5, 12])
        cases.append(make_case(rng, [random_line(rng) for _ in range(size)], options))
    for path in texts:
        with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8", newline="\n") as file:
            lines = [line.rstrip("\n") for line in file]
        for lowercase in (False, True):
            cases.append(make_case(rng, lines, {"tokenize": "13a", "smooth": "exp", "lowercase": lowercase}))
    tokenizer = Tokenizer13a()
    lines = [random_line(rng) for _ in range(count * 3)]
    return {"sacrebleu": sacrebleu.__version__, "cases": [score(case) for case in cases],
            "tokens_13a": [{"line": line, "tokens": tokenizer(line).split()} for line in lines],
            "lower": [{"text": text, "lower": text.lower()} for text in lines + (all_code_points() if count > 100 else [])]}


def all_code_points():
    points = [chr(p) for p in range(1, 0x110000) if not 0xD800 <= p <= 0xDFFF]
    return ["".join(points[i:i + 64]) for i in range(0, len(points), 64)]


def main():
    parser = options_of(__doc__, test="core_test", cases=2000)
    parser.add_argument("--text", action="append", default=[], help="real text, plain or .gz, one sentence a line")
    arguments = parser.parse_args()
    document = make_document(arguments.cases, arguments.seed, arguments.text)
    summary = (f"sacreBLEU {sacrebleu.__version__}: {len(document['cases'])} corpora, {len(document['tokens_13a'])} lines of 13a, "
               f"{len(document['lower'])} texts lower-cased")
    return write_or_test(parser, arguments, document, variable="HEDDLE_BLEU_CASES", filter="BleuOracle.*", summary=summary, indent=0)


if __name__ == "__main__":
    sys.exit(main())
