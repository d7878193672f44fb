#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares exact match and F1 of answers with SQuAD's official scripts, version 1.1 and 2.0: makes documents in SQuAD's form and
predictions with awkward answers, has those scripts score them, and data_test check Heddle's numbers against theirs to 1e-9.

    pip download --no-deps tf-models-official==2.20.0 && unzip tf_models_official-*.whl 'official/nlp/tools/squad*'
    python3 tests/oracle/squad_oracle.py --v1 official/nlp/tools/squad_evaluate_v1_1.py \\
        --v2 official/nlp/tools/squad_evaluate_v2_0.py --test build/release/bin/data_test [--cases 500]

The scripts are those of https://rajpurkar.github.io/SQuAD-explorer/ (evaluate-v1.1.py, evaluate-v2.0.py), or their copies in
tf-models-official, whose functions are the same. --data FILE --predictions FILE adds a data set of the publisher with what a model
answered (dev-v2.0.json and the sample prediction file of that page). With --write FILE the cases are only written;
tests/unit/engine/metrics/cases/squad_cases.json was made with --write … --cases 12 --seed 1. The suite reads that file and needs no
Python.
"""
import importlib.util
import json
import os
import random
import sys
import types

from oracle import options_of, write_or_test

# Articles, punctuation and white space of all kinds, case that changes length, letters with marks, answers of which nothing remains.
WORDS = ("the The THE a an An A's the. theatre cat Cat's and café CAFÉ cafe\u0301 the\u0301 1,000 1000 $5.00 5 U.S. US a-b ab (the) "
         "\"an\" _a_ ½a a² ⅷ Ⅷ İ ΣΑΣ σας ß SS ﬁn 中 中the 東京 – — … “cat” ’s 👩\u200d🚀 x\u200by an\u00a0ox the\u3000end a\u0085b c\u001cd "
         "٣ the٣ . -- ' the.cat a.m.").split(" ")

# Reference answers, and what was predicted. Those without references have no answer (2.0).
BY_HAND = [
    (["the cat"], "cat"), (["the cat"], "The Cat."), (["a", "the"], "an"), (["the"], ""), (["the"], "cat"), (["."], ""),
    (["U.S."], "US"), (["U.S."], "U. S."), (["1,000"], "1000"), (["1,000 men"], "1000 women and men"), (["a-b"], "ab"),
    (["theatre"], "the atre"), (["Denver Broncos", "The Denver Broncos", "Broncos"], "the broncos"),
    (["Denver Broncos", "Denver"], "Denver Denver Broncos"), (["cat cat dog"], "cat dog dog"), (["café"], "CAFÉ"),
    (["café"], "cafe\u0301"), (["İstanbul"], "istanbul"), (["ΟΔΟΣ"], "οδος"), (["straße"], "STRASSE"), (["ﬁn"], "fin"),
    (["an\u00a0ox"], "ox"), (["x\u200by"], "x y"), (["x\u200by"], "xy"), (["c\u001cd"], "c d"), (["a\u0085b"], "b"),
    (["the\u3000end"], "end"), (["in the 18th century", "18th"], "18"), (["東京"], "東京都"), (["— no —"], "no"), (["“no”"], "no"),
    (["’s"], "s"), (["½ a mile"], "½ mile"), (["half"], " \n\t"), (["👩\u200d🚀"], "👩"), (["the٣"], "٣"), (["yes"], ""),
]
BY_HAND_2 = [([], ""), ([], "the"), ([], " . "), ([], "cat"), ([], "a cat"), (["the", "cat"], "")]


def random_answer(rng, least):
    return "".join(rng.choice(["", "", " ", "  "]) + rng.choice(WORDS) + rng.choice([" ", " ", "\u2003", "", "\n"])
                   for _ in range(rng.randrange(least, 5)))


def random_pairs(rng, version):
    pairs = []
    for _ in range(rng.choice([1, 5, 20])):
        answers = [random_answer(rng, 1) for _ in range(rng.choice([0, 1, 1, 3] if version == "2.0" else [1, 1, 3]))]
        near = rng.choice(answers) if answers else ""
        pairs.append((answers, rng.choice([near, near + " " + random_answer(rng, 0), random_answer(rng, 0), ""])))
    return pairs


def document_of(pairs, version):
    """One question a context, in which its reference answers stand one after the other."""
    paragraphs = []
    for number, (answers, _) in enumerate(pairs):
        context, given = "It is said:", []
        for answer in answers:
            context += " "
            given.append({"text": answer, "answer_start": len(context)})
            context += answer
        question = {"id": f"q\"{number}", "question": "What is it?", "answers": given}
        if version == "2.0":
            question["is_impossible"] = not answers
        paragraphs.append({"context": context, "qas": [question]})
    return {"version": version, "data": [{"title": "awkward", "paragraphs": paragraphs}]}


def load(path):
    """The module of a script, under the names that the official ones have."""
    sys.modules.setdefault("absl", types.SimpleNamespace(logging=types.SimpleNamespace(error=print)))  # the copies complain by it
    specification = importlib.util.spec_from_file_location(os.path.basename(path).replace(".", "_").replace("-", "_"), path)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    for name in [name for name in vars(module) if name.startswith("_") and not name.startswith("__")]:
        setattr(module, name[1:], getattr(module, name))
    return module


def scored_by_first(v1, data, predictions):
    """evaluate() of 1.1, and the same for each question."""
    totals = v1.evaluate(data, predictions)
    scale = 1 if "f1" in totals else 100  # the copy gives shares
    exact, f1 = {}, {}
    for question in (q for article in data for p in article["paragraphs"] for q in p["qas"]):
        answers = [answer["text"] for answer in question["answers"]]
        predicted = predictions[question["id"]]
        exact[question["id"]] = int(v1.metric_max_over_ground_truths(v1.exact_match_score, predicted, answers))
        f1[question["id"]] = v1.metric_max_over_ground_truths(v1.f1_score, predicted, answers)
    return exact, f1, {"all": {"exact": scale * totals["exact_match"], "f1": scale * totals.get("f1", totals.get("final_f1"))}}


def scored_by_second(v2, data, predictions):
    """What main() of 2.0 prints, by part, and the scores of each question."""
    exact, f1 = v2.get_raw_scores(data, predictions)
    totals = {"all": dict(v2.make_eval_dict(exact, f1))}
    has_answer = v2.make_qid_to_has_ans(data)
    for name, wanted in (("answerable", True), ("unanswerable", False)):
        ids = [key for key, value in has_answer.items() if value == wanted]
        if ids:
            totals[name] = dict(v2.make_eval_dict(exact, f1, qid_list=ids))
    return exact, f1, totals


def with_threshold(v2, rng, data, predictions):
    """--na-prob-thresh of 2.0: whether a question is left without an answer, and the totals then. Where nothing remains of the
    references, the script itself counts an empty answer and one below the threshold differently: there is none there."""
    remains = {q["id"]: not q["answers"] or any(v2.normalize_answer(a["text"]) for a in q["answers"])
               for article in data for p in article["paragraphs"] for q in p["qas"]}
    chances = {key: rng.random() if remains[key] else 0.0 for key in predictions}
    threshold = rng.choice([0.2, 0.5, 0.8])
    exact, f1 = v2.get_raw_scores(data, predictions)
    has_answer = v2.make_qid_to_has_ans(data)
    totals = v2.make_eval_dict(*(v2.apply_no_ans_threshold(scores, chances, has_answer, threshold) for scores in (exact, f1)))
    return {"silent": [key for key, chance in chances.items() if chance > threshold], "totals": dict(totals)}


def case_of(v1, v2, rng, document, predictions):
    data = document["data"]
    have_all = all(question["answers"] for article in data for p in article["paragraphs"] for question in p["qas"])
    case = {"document": document, "predictions": predictions, "version": "1.1" if have_all else "2.0"}
    score = scored_by_first(v1, data, predictions) if have_all else scored_by_second(v2, data, predictions)
    case["exact"], case["f1"], case["totals"] = score
    if not have_all:
        case["threshold"] = with_threshold(v2, rng, data, predictions)
    return case


def make_cases(arguments):
    rng = random.Random(arguments.seed)
    v1, v2 = load(arguments.v1), load(arguments.v2)
    sets = [("1.1", BY_HAND), ("2.0", BY_HAND + BY_HAND_2)]
    for number in range(arguments.cases):
        version = ["1.1", "2.0"][number % 2]
        sets.append((version, random_pairs(rng, version)))
    cases = []
    for version, pairs in sets:
        predictions = {f"q\"{number}": predicted for number, (_, predicted) in enumerate(pairs)}
        cases.append(case_of(v1, v2, rng, document_of(pairs, version), predictions))
    if arguments.data:
        with open(arguments.data, encoding="utf-8") as data, open(arguments.predictions, encoding="utf-8") as predictions:
            cases.append(case_of(v1, v2, rng, json.load(data), json.load(predictions)))
    return {"scripts": [os.path.basename(arguments.v1), os.path.basename(arguments.v2)],
            "python": "%d.%d" % sys.version_info[:2], "cases": cases}


def main():
    parser = options_of(__doc__, test="data_test", cases=500, cases_help="besides those by hand")
    parser.add_argument("--v1", required=True, help="SQuAD's evaluate-v1.1.py")
    parser.add_argument("--v2", required=True, help="SQuAD's evaluate-v2.0.py")
    parser.add_argument("--data", help="a data set of the publisher, all of whose questions --predictions answers")
    parser.add_argument("--predictions", help="the answers of a model to it, as the scripts read them")
    arguments = parser.parse_args()
    document = make_cases(arguments)
    return write_or_test(parser, arguments, document, variable="HEDDLE_SQUAD_CASES", filter="SquadOracle.*",
                         summary=f"{len(document['cases'])} documents", separators=(",", ":"))


if __name__ == "__main__":
    sys.exit(main())
