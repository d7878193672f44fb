#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares Heddle's metrics with sacreBLEU (chrF), scikit-learn (classes), scipy (correlations), seqeval (spans) and SQuAD's own
script (answers): makes random cases, has those programs score them, and core_test check Heddle's numbers against theirs to 1e-9.

    pip install sacrebleu scikit-learn scipy seqeval
    python3 tests/oracle/metrics_oracle.py --squad evaluate-v2.0.py --test build/release/bin/core_test [--cases 500]

evaluate-v2.0.py is the script on https://rajpurkar.github.io/SQuAD-explorer/. With --write FILE the cases are only written;
tests/unit/engine/metrics/cases/metric_cases.json was made with --write … --cases 24 --seed 1. The suite reads that file and needs no
Python.
"""
import importlib.util
import math
import random
import sys
import warnings

import numpy
import sacrebleu
import scipy
import scipy.stats
import seqeval
import sklearn
import sklearn.metrics
from sacrebleu.metrics import CHRF
from seqeval.metrics.sequence_labeling import precision_recall_fscore_support as default_spans
from seqeval.metrics.v1 import precision_recall_fscore_support as strict_spans
from seqeval.scheme import IOB2

from bleu_oracle import disturb, random_line
from oracle import options_of, write_or_test

warnings.filterwarnings("ignore")  # of zero divisions, which are what is compared


def chrf_case(rng, number):
    options = {"lowercase": number % 3 == 0, "whitespace": number % 5 == 0, "word_order": [0, 2, 2, 1][number % 4],
               "char_order": 6 if number % 6 else rng.randrange(1, 9)}
    references = [random_line(rng) for _ in range(rng.choice([1, 1, 2, 5]))]
    hypotheses = [disturb(rng, line) if rng.random() < 0.9 else random_line(rng) for line in references]
    metric = CHRF(**options)
    score = metric.corpus_score(hypotheses, [references]).score
    return {"options": options, "hypotheses": hypotheses, "references": references, "chrf": score,
            "signature": str(metric.get_signature()).split("|version:")[0]}


def classes_case(rng, number):
    classes = rng.choice([2, 2, 3, 5, 15])
    n = rng.choice([1, 2, 3, 10, 50])
    truth = [rng.randrange(classes) if number % 7 else 0 for _ in range(n)]
    kind = number % 4
    predicted = [0 if kind == 0 else t if rng.random() < 0.6 else rng.randrange(classes) for t in truth]
    labels = list(range(classes))
    each = sklearn.metrics.precision_recall_fscore_support(truth, predicted, labels=labels, average=None, zero_division=0)
    return {"classes": classes, "truth": truth, "predicted": predicted,
            "accuracy": sklearn.metrics.accuracy_score(truth, predicted),
            "macro_f1": sklearn.metrics.f1_score(truth, predicted, average="macro", zero_division=0),
            "micro_f1": sklearn.metrics.f1_score(truth, predicted, average="micro", zero_division=0),
            "matthews": sklearn.metrics.matthews_corrcoef(truth, predicted),
            "precision": each[0].tolist(), "recall": each[1].tolist(), "f1": each[2].tolist(), "support": each[3].tolist(),
            "confusion": sklearn.metrics.confusion_matrix(truth, predicted, labels=labels).tolist()}


def correlation_case(rng, number):
    n = rng.choice([2, 3, 10, 100])
    scale, offset = 10.0 ** rng.randrange(-12, 13), rng.choice([0.0, 1.0, -1e3])
    a = [rng.gauss(0, 1) for _ in range(n)]
    b = [x + rng.gauss(0, 1) for x in a]
    if number % 3 == 0:  # ties, as ratings have them
        a, b = [round(x) for x in a], [round(2 * x) / 2 for x in b]
    if number % 8 == 7:
        b = [0.1] * n
    a, b = [float(x) for x in a], [scale * (float(x) + offset) for x in b]
    clean = lambda value: None if math.isnan(value) else float(value)
    return {"a": a, "b": b, "pearson": clean(scipy.stats.pearsonr(a, b).statistic),
            "spearman": clean(scipy.stats.spearmanr(a, b).statistic),
            "ranks_a": scipy.stats.rankdata(a).tolist()}


def random_tags(rng, n):
    return [rng.choice(["O", "O", "B-PER", "I-PER", "I-PER", "B-LOC", "I-LOC", "B-x-y", "I-x-y"]) for _ in range(n)]


def spans_case(rng, number):
    truth = [random_tags(rng, rng.randrange(1, 12)) for _ in range(rng.choice([1, 3, 8]))]
    predicted = [[tag if rng.random() < 0.7 else other for tag, other in zip(tags, random_tags(rng, len(tags)))] for tags in truth]
    if number % 6 == 5:
        predicted = [["O"] * len(tags) for tags in truth]
    if number % 12 == 11:
        truth = predicted
    case = {"truth": truth, "predicted": predicted}
    for name, score in (("conlleval", lambda average: default_spans(truth, predicted, average=average, zero_division=0)),
                        ("strict", lambda average: strict_spans(truth, predicted, average=average, zero_division=0, scheme=IOB2))):
        each, micro, macro = score(None), score("micro"), score("macro")
        case[name] = {"micro": [float(value) for value in micro[:3]], "macro_f1": None if math.isnan(macro[2]) else float(macro[2]),
                      "f1": numpy.asarray(each[2], dtype=float).tolist(), "support": numpy.asarray(each[3], dtype=int).tolist()}
    return case


ANSWER_WORDS = ("the The a an A's and cat Cat cat's café CAFÉ 12 1,000 ½a a² _a_ a-b U.S. (the) \"an\" the, a\u0301 thé ⅷ İ 中 中the "
                "an\u00a0ox Ⅷ # . -- …").split(" ")


def random_answer(rng):
    return rng.choice(["", " ", "  "]).join(rng.choice(ANSWER_WORDS) + rng.choice([" ", " ", "\u2003", "", "\n"])
                                            for _ in range(rng.randrange(0, 6)))


def answers_case(rng, squad):
    questions, predictions = [], {}
    for number in range(rng.choice([1, 4, 20])):
        answers = [random_answer(rng) for _ in range(rng.choice([0, 1, 1, 3]))]
        questions.append({"id": str(number), "answers": [{"text": text} for text in answers]})
        near = rng.choice(answers) if answers and rng.random() < 0.6 else ""
        predictions[str(number)] = rng.choice([near, near + " " + random_answer(rng), random_answer(rng), ""])
    data = [{"paragraphs": [{"qas": questions}]}]
    exact, f1 = squad.get_raw_scores(data, predictions)
    has_answer = squad.make_qid_to_has_ans(data)
    totals = {"all": dict(squad.make_eval_dict(exact, f1))}
    for name, wanted in (("answerable", True), ("unanswerable", False)):
        ids = [key for key, value in has_answer.items() if value == wanted]
        if ids:
            totals[name] = dict(squad.make_eval_dict(exact, f1, qid_list=ids))
    ids = [question["id"] for question in questions]
    return {"predicted": [predictions[key] for key in ids],
            "answers": [[answer["text"] for answer in question["answers"]] for question in questions],
            "normalised": [squad.normalize_answer(predictions[key]) for key in ids],
            "exact": [exact[key] for key in ids], "f1": [f1[key] for key in ids], "totals": totals}


def load_squad(path):
    specification = importlib.util.spec_from_file_location("squad_evaluate", path)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def make_document(arguments):
    rng = random.Random(arguments.seed)
    squad = load_squad(arguments.squad)
    numbers = range(arguments.cases)
    return {"versions": {"sacrebleu": sacrebleu.__version__, "scikit-learn": sklearn.__version__, "scipy": scipy.__version__,
                         "seqeval": seqeval.__version__ if hasattr(seqeval, "__version__") else "1.2"},
            "chrf": [chrf_case(rng, number) for number in numbers], "classes": [classes_case(rng, number) for number in numbers],
            "correlation": [correlation_case(rng, number) for number in numbers],
            "spans": [spans_case(rng, number) for number in numbers], "answers": [answers_case(rng, squad) for _ in numbers]}


def main():
    parser = options_of(__doc__, test="core_test", cases=500, cases_help="of each kind")
    parser.add_argument("--squad", required=True, help="SQuAD's evaluate-v2.0.py")
    arguments = parser.parse_args()
    document = make_document(arguments)
    return write_or_test(parser, arguments, document, variable="HEDDLE_METRIC_CASES", filter="MetricOracle.*",
                         summary=f"{document['versions']}: {arguments.cases} cases each", separators=(",", ":"))


if __name__ == "__main__":
    sys.exit(main())
