#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ways to fool oneself with seeds, each made by hand, and what Heddle says of them.

    tests/traps/run.py [--heddle PROGRAM] [--only WORD] [--long]

Each trap below makes runs whose truth is known: most of them draw the losses of both variants from the same distribution, so that
"gated is better" is false, and come as a CSV file (`heddle runs import`); three train the smallest possible models. Then somebody
fools himself, and Heddle is asked as a user asks it (`heddle study FILE --verdict`, `--report`, `heddle compare`). The table tells what
a naive reader would conclude and Heddle's own sentence; --long prints all that Heddle said. Exit status 1: a trap did not work (the
naive reader had nothing to be fooled by), or Heddle did not say what the trap expects.
"""
import argparse
import csv
import html
import json
import pathlib
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
TRAPS = []


def trap(name):
    """Registers a function as a trap. It gets a Lab and returns (what a naive reader concludes, what Heddle said, and patterns
    of the sentences that Heddle must have said)."""
    return lambda make: TRAPS.append((name, make))


class Lab:
    """A folder with a run database and files, where one trap is made."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder

    def heddle(self, *words, codes=(0,)):
        """What the program prints."""
        done = subprocess.run([self.program, *map(str, words), "--db", self.folder / "runs.heddle"], capture_output=True, text=True,
                              cwd=self.folder, check=False)
        if done.returncode not in codes:
            raise SystemExit(f"heddle {' '.join(map(str, words))} ended with {done.returncode}: {done.stderr}{done.stdout}")
        return done.stdout + done.stderr

    def write(self, name, text):
        (self.folder / name).write_text(text, encoding="utf-8")
        return name

    def bring(self, rows, *options):
        """Imports runs: a row of numbers and texts for each, by column."""
        file = self.folder / f"runs{len(list(self.folder.glob('*.csv')))}.csv"
        with open(file, "w", newline="", encoding="utf-8") as stream:
            writer = csv.DictWriter(stream, rows[0].keys())
            writer.writeheader()
            writer.writerows(rows)
        self.heddle("runs", "import", file.name, *options)

    def ids(self, rows):
        """The ids of the imported runs of these rows."""
        by_name = {run["name"]: run["run"] for run in json.loads(self.heddle("runs", "list", "--json"))["runs"]}
        return [by_name[row["run"]] for row in rows]

    def study(self, name="study.json", base=None, gated=None, **keys):
        """Writes a study of rows of runs that exist, by default the groups "base" and "gated"."""
        rows = [{"name": "base", "runs": base or {"group": "base"}}, {"name": "gated", "runs": gated or {"group": "gated"}}]
        return self.write(name, json.dumps({"schema": "heddle.study/1", "question": "Is gated better?", "rows": rows,
                                            "baseline": "base", **keys}))

    def verdict(self, file):
        return self.heddle("study", file, "--verdict")

    def found(self, file):
        """The verdict's word, p and difference of its one variant."""
        document = json.loads(self.heddle("study", file, "--verdict", "--json"))
        return document["rows"][0]["verdict"], document["rows"][0]["p"], document["rows"][0]["difference"]

    def report(self, file):
        """The verdict, and the text of the report's page."""
        said = self.heddle("study", file, "--verdict", "--report", "report")
        page = (self.folder / "report/report.html").read_text(encoding="utf-8")
        page = re.sub(r"<(style|svg|script).*?</\1>", " ", page, flags=re.S)
        return said + re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", page)))


def alike(group, seeds, draws, mean=2.0):
    """Runs whose losses say nothing of their group: equal mean, equal scatter."""
    return [{"run": f"{group}-{seed}", "group": group, "seed": seed, "step": 100, "val_loss": round(draws.gauss(mean, 0.02), 5)}
            for seed in seeds]


def eight_seeds():
    """Eight runs of each group, and of "gated" those four with the lowest and those four with the highest losses."""
    draws = random.Random(18)
    base, gated = alike("base", range(1, 9), draws), alike("gated", range(1, 9), draws)
    by_loss = sorted(gated, key=lambda row: row["val_loss"])
    return base + gated, by_loss[:4], by_loss[4:]


def mean_of(rows):
    return statistics.mean(row["val_loss"] for row in rows)


# The traps of runs that come from a file.

@trap("peeking")
def peeking(lab):
    """Ask after each seed, and stop when p is below 0.05."""
    draws = random.Random(5)
    for seed in range(1, 21):
        lab.bring(alike("base", [seed], draws) + alike("gated", [seed], draws))
        verdict, p, _ = lab.found(lab.study())
        if verdict == "better":
            return (f"better, p {p:.3f}, after {seed} looks", lab.verdict("study.json"),
                    r"It was asked \d+ times before, the first time when 2 and the last time when \d+ of its runs had ended; "
                    r"2 more have ended since")
    return None


@trap("mixed settings")
def mixed_settings(lab):
    """A group whose good runs had another learning rate than the rest."""
    draws = random.Random(1)
    base = [row | {"lr": 0.001} for row in alike("base", range(1, 7), draws)]
    gated = ([row | {"lr": 0.001} for row in alike("gated", range(1, 5), draws)] +
             [row | {"lr": 0.003} for row in alike("gated", range(5, 8), draws, mean=1.8)])
    lab.bring(base + gated)
    if mean_of(gated) > mean_of(base) - 0.05:
        return None
    return (f"better by {mean_of(base) - mean_of(gated):.2f}: the means of the groups", lab.verdict(lab.study()),
            r"gated, seed 5: has other settings than most runs of this row")


@trap("unequal budgets")
def unequal_budgets(lab):
    """The loss falls with training, and one variant trained twice as long."""
    draws = random.Random(2)
    rows = []
    for group, steps in (("base", 400), ("gated", 800)):
        for seed in range(1, 6):
            shift = draws.gauss(0, 0.02)
            rows += [{"run": f"{group}-{seed}", "group": group, "seed": seed, "step": step,
                      "val_loss": round(2 + 400 / step + shift, 5)} for step in range(100, steps + 1, 100)]
    lab.bring(rows)
    verdict, p, difference = lab.found(lab.study())
    if verdict != "better":
        return None
    return (f"better by {-difference:.2f}, p {p:.4f}", lab.report("study.json"),
            r"Runs trained unequally\. base: 400 steps; gated: 800 steps")


@trap("dropped seeds, by choice")
def dropped_seeds(lab):
    """Eight seeds of each, and the worst four of one of them are not named."""
    runs, best, worst = eight_seeds()
    lab.bring(runs)
    verdict, p, _ = lab.found(lab.study(gated={"ids": lab.ids(best)}))
    if verdict != "better":
        return None
    dropped = ", ".join(str(seed) for seed in sorted(row["seed"] for row in worst))
    return (f"better, p {p:.3f}", lab.verdict("study.json"),
            f"gated: the database has completed runs of the same experiment that the study does not ask for, seeds {dropped}")


@trap("dropped seeds, in the trash")
def trashed_seeds(lab):
    """The same with the worst four in the trash, so that the group no longer has them."""
    runs, _, worst = eight_seeds()
    lab.bring(runs)
    lab.heddle("runs", "trash", *lab.ids(worst))
    verdict, p, _ = lab.found(lab.study())
    return verdict == "better" and (f"better, p {p:.3f}", lab.verdict("study.json"), r"does not ask for, seeds [\d, ]+ \(4 in the trash\)")


@trap("dropped seeds, deleted")
def deleted_seeds(lab):
    """The same after a first verdict, and the worst four are deleted for good."""
    runs, _, worst = eight_seeds()
    lab.bring(runs)
    before = lab.found(lab.study())[0]
    ids = lab.ids(worst)
    lab.heddle("runs", "trash", *ids)
    lab.heddle("runs", "delete", *ids)
    verdict, p, _ = lab.found("study.json")
    if before != "no difference shown" or verdict != "better":
        return None
    return f"better, p {p:.3f}", lab.verdict("study.json"), \
        r"On 20\d\d-\d\d-\d\d, 4 of the 16 runs that had ended when it was asked before were no longer there"


@trap("dropped seeds, crashed")
def crashed_seeds(lab):
    """A variant that crashes where it would have been bad."""
    runs, _, worst = eight_seeds()
    for row in runs:
        row["state"] = "crashed" if row in worst else "finished"
    lab.bring(runs)
    verdict, p, _ = lab.found(lab.study())
    return verdict == "better" and (f"better, p {p:.3f}", lab.verdict("study.json"), r"of the runs that ended \(4 failed\)")


@trap("best of many metrics")
def many_metrics(lab):
    """Twenty metrics that say nothing, one study for each; the one with p below 0.05 is told."""
    draws = random.Random(3)
    names = [f"score{k:02}" for k in range(1, 21)]
    rows = [{"run": f"{group}-{seed}", "group": group, "seed": seed, "step": 100} |
            {f"val_{name}": round(draws.gauss(50, 1), 4) for name in names} for group in ("base", "gated") for seed in range(1, 7)]
    lab.bring(rows, *[word for name in names for word in ("--metric", f"val_{name}=valid:{name}")])
    found = {name: lab.found(lab.study(f"{name}.json", metric={"split": "valid", "name": name, "better": "higher"})) for name in names}
    better = [name for name in names if found[name][0] == "better"]
    if not better:
        return None
    name = min(better, key=lambda one: found[one][1])
    return (f"{name}: {found[name][0]}, p {found[name][1]:.3f}", lab.verdict(f"{name}.json"),
            r"Of 20 answers one may be shown by chance: to claim one of them, compare its p with 0\.0025")


@trap("best of many metrics, one study")
def changed_metric(lab):
    """The study's metric is changed when its verdict is known."""
    draws = random.Random(5)
    rows = [row | {"val_accuracy": round(0.7 + (0.05 if row["group"] == "gated" else 0) + draws.gauss(0, 0.01), 4)}
            for group in ("base", "gated") for row in alike(group, range(1, 7), draws)]
    lab.bring(rows)
    before = lab.found(lab.study())[0]
    verdict, p, _ = lab.found(lab.study(metric={"split": "valid", "name": "accuracy"}))
    if before != "no difference shown" or verdict != "better":
        return None
    return f"better in accuracy, p {p:.4f}", lab.verdict("study.json"), r"The question was changed after 12 runs had ended \(metric\)"


@trap("items for seeds")
def items_for_seeds(lab):
    """One run of each, and 200 test sentences whose p looks like that of the variants."""
    draws = random.Random(6)
    words = "a man in blue shirt is standing on ladder cleaning the window of tall building while two dogs run".split()
    wanted = [" ".join(draws.choices(words, k=9)) for _ in range(200)]

    def output(rate):
        return "".join(" ".join(draws.choice(words) if draws.random() < rate else word for word in line.split()) + "\n" for line in wanted)

    lab.write("wanted", "".join(line + "\n" for line in wanted))
    lab.write("base", output(0.25))
    lab.write("gated", output(0.20))
    told = json.loads(lab.heddle("compare", "--texts", "wanted", "base", "gated", "--json"))["outputs"][0]["metrics"][0]
    if told["bootstrap"]["p"] >= 0.05:
        return None
    return (f"better by {told['difference']:.1f} BLEU, p {told['bootstrap']['p']:.3f}",
            lab.heddle("compare", "--texts", "wanted", "base", "gated"),
            "covers test sentences alone: two runs of one variant with unequal seeds may differ as much")


# The traps that need trained runs: a model of one layer that reverses sentences of four words, for some dozen steps.

def sentences(count):
    who, does, what = ["ana", "ben", "cid", "dora"], ["sees", "hears", "paints"], ["birds", "hills"]
    all_of_them = [(a, b, c) for a in who for b in does for c in what][:count]
    return ("".join(f"{a} {b} {c} .\n" for a, b, c in all_of_them), "".join(f"{c}e {a}o {b}t .\n" for a, b, c in all_of_them))


def trained_study(lab, seeds, **sets):
    """Writes a study of rows that are trained: the same model each, with the settings of `sets` on top."""
    for part in ("train", "valid"):
        if not (lab.folder / f"{part}.src").exists():
            source, target = sentences(24)
            lab.write(f"{part}.src", source)
            lab.write(f"{part}.tgt", target)
    spec = {"variant": {"preset": "eau-base", "dims": {"d": 16, "f": 32, "heads": 2, "layers_enc": 1, "layers_dec": 1, "max_len": 16}},
            "data": {"train": {"source": "train.src", "target": "train.tgt"}, "valid": {"source": "valid.src", "target": "valid.tgt"},
                     "tokenizer": {"kind": "words", "min_count": 1}},
            "train": {"lr": 0.0003, "steps": 24, "batch": {"sentences": 6}, "threads": 1, "device": "cpu"},
            "evaluate": {"every_epochs": 0, "every_steps": 24, "bleu_every_epochs": 0}}
    rows = [{"name": name, "spec": spec, "set": words} for name, words in ({"base": []} | sets).items()]
    return lab.write("study.json", json.dumps({"schema": "heddle.study/1", "question": "Is gated better?", "baseline": "base",
                                               "rows": rows, "seeds": seeds}))


@trap("unequal tuning")
def unequal_tuning(lab):
    """The variant has a learning rate that suits it, the baseline the one that was there. (It is the same model twice.)"""
    lab.heddle("study", trained_study(lab, [1, 2, 3], gated=["train.lr=0.01"]))
    verdict, p, difference = lab.found("study.json")
    return verdict == "better" and (f"better by {-difference:.2f}, p {p:.4f}", lab.report("study.json"),
                                    r"Not tuned: one learning rate each \(base: 0\.0003; gated: 0\.01\)",
                                    r"The rows differ in more than their variants: train\.lr \(")


@trap("more seeds after the verdict")
def more_seeds(lab):
    """A study of fixed seeds is asked again with more of them."""
    lab.heddle("study", trained_study(lab, [1, 3], base=["train.batch.sentences=5"], gated=[]))
    before = lab.found("study.json")[0]
    lab.heddle("study", trained_study(lab, [1, 3, 5], base=["train.batch.sentences=5"], gated=[]))
    verdict, p, _ = lab.found("study.json")
    if before == "better" or verdict != "better":
        return None
    return (f"first \"{before}\"; with one more seed \"{verdict}\", p {p:.3f}", lab.verdict("study.json"),
            r"The question was changed after 4 runs had ended \(seeds\)")


@trap("changed test set")
def changed_test_set(lab):
    """After the baseline's runs the validation file loses half of its sentences. (It is the same model twice.)"""
    lab.heddle("study", trained_study(lab, [1, 2], other=["train.lr=0.0004"]))
    source, target = sentences(8)
    lab.write("valid.src", source)
    lab.write("valid.tgt", target)
    lab.heddle("study", trained_study(lab, [1, 2], gated=["train.lr=0.0005"]))
    losses = {}
    for run in json.loads(lab.heddle("runs", "list", "--json"))["runs"]:
        shown = json.loads(lab.heddle("runs", "show", run["run"], "--json"))
        values = [one["value"] for one in shown["evaluations"] if (one["split"], one["metric"]) == ("valid", "loss")]
        losses.setdefault(run["name"], []).append(values[-1])
    if statistics.mean(losses["gated"]) >= statistics.mean(losses["base"]):
        return None
    naive = ", ".join(f"{name} {statistics.mean(values):.3f}" for name, values in losses.items() if name != "other")
    return (f"the mean losses: {naive}", lab.verdict("study.json"),
            r"gated, seed 1: read other contents of \S*valid\.src than an earlier run")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", type=pathlib.Path, default=ROOT / "build/release/bin/heddle")
    parser.add_argument("--only", default="", help="only the traps with this word in their names")
    parser.add_argument("--long", action="store_true", help="print all that Heddle said")
    options = parser.parse_args()
    failed = []
    traps = [(name, make) for name, make in TRAPS if options.only in name]
    if not traps:
        parser.error(f"no trap has \"{options.only}\" in its name; there are: {', '.join(name for name, _ in TRAPS)}")
    for name, make in traps:
        began = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="trap-") as folder:
            made = make(Lab(options.heddle.resolve(), pathlib.Path(folder)))
        print(f"\n{name} ({time.monotonic() - began:.1f} s): {make.__doc__}")
        if not made:
            failed.append(name)
            print("  THE TRAP DOES NOT WORK: nobody would be fooled by these runs")
            continue
        naive, said, *patterns = made
        print("  naive:  " + naive)
        for pattern in patterns:
            sentence = re.search(rf"([^\n.]|\.(?! ))*{pattern}[^\n]*?(\. |\.?\n|$)", said)
            print("  Heddle: " + sentence.group(0).strip() if sentence else f"  HEDDLE DOES NOT SAY: {pattern}")
            if not sentence:
                failed.append(name)
        if options.long:
            print("\n".join("    " + line for line in said.splitlines()))
    print("\nHeddle sees every trap" if not failed else "\nfailed: " + ", ".join(failed))
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
