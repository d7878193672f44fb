#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `heddle inspect` reads inside a model, against numpy in float64: the logit lens, scores of heads, and activation patching.

Trains two small language models (preset nanogpt, other seeds) on random words in a temporary folder; runs their weights through a
forward pass written here; and compares the loss, the choices and the KL of every layer (--lens), the attention to the previous, own
and first position and the eigenvalues of the OV circuits (--labels), and the loss with every head's and sublayer's output of the
other model (--patch-from) and of another sentence (--corrupt). Exit 1 when a number differs by more than --tolerance. Needs numpy:
  inside_oracle.py --heddle build/release/bin/heddle
"""
import argparse
import json
import math
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

import numpy as np

BEGIN, END, SPECIALS = 2, 3, 4  # engine/data/tokenizers/tokenizer.h
WORDS = "the cat dog bird sees hears a and sleeps runs".split()
WIDTH, HEADS, LAYERS, EPS = 16, 2, 3, 1e-5
erf = np.vectorize(math.erf)


def read_weights(path):
    with open(path, "rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        data = file.read()
    return {name: np.frombuffer(data[slice(*entry["data_offsets"])], np.float32).reshape(entry["shape"]).astype(np.float64)
            for name, entry in header.items() if name != "__metadata__"}


def norm(x, weight):
    centred = x - x.mean(-1, keepdims=True)
    return centred / np.sqrt((centred ** 2).mean(-1, keepdims=True) + EPS) * weight


def log_softmax(x):
    x = x - x.max(-1, keepdims=True)
    return x - np.log(np.exp(x).sum(-1, keepdims=True))


class Model:
    def __init__(self, folder):
        self.w = read_weights(folder / "weights.safetensors")

    def run(self, ids, replaced=None):
        """Log p of each layer's state, weights of each head, and outputs of each part; `replaced`: {part: output}."""
        w, replaced, outputs, weights = self.w, replaced or {}, {}, {}
        h = w["embed.shared.weight"][ids] + w["position.weight"][:len(ids)]
        states = [h]
        hidden = np.triu(np.ones((len(ids), len(ids)), bool), 1)
        for layer in range(LAYERS):
            path = f"decoder.layers.{layer}.self"
            u = norm(h, w[path + ".norm.weight"])
            q, k, v = (u @ w[f"{path}.{name}.weight"].T for name in ("scorer.q", "scorer.k", "value.v"))
            mixed = []
            for head in range(HEADS):
                of = slice(head * WIDTH // HEADS, (head + 1) * WIDTH // HEADS)
                scores = q[:, of] @ k[:, of].T / math.sqrt(WIDTH // HEADS)
                p = np.exp(log_softmax(np.where(hidden, -1e9, scores)))
                weights[path, head] = p
                outputs[path, head] = p @ v[:, of]
                mixed.append(replaced.get((path, head), outputs[path, head]))
            outputs[path, None] = np.concatenate(mixed, -1) @ w[path + ".value.out.weight"].T
            h = h + replaced.get((path, None), outputs[path, None])
            path = f"decoder.layers.{layer}.ffn"
            inner = norm(h, w[path + ".norm.weight"]) @ w[path + ".ffn.in.weight"].T
            outputs[path, None] = inner * 0.5 * (1 + erf(inner / math.sqrt(2))) @ w[path + ".ffn.out.weight"].T
            h = h + replaced.get((path, None), outputs[path, None])
            states.append(h)
        logits = [norm(state, w["decoder.norm.weight"]) @ w["embed.shared.weight"].T for state in states]
        return logits, weights, outputs


class Comparison:
    def __init__(self, tolerance):
        self.tolerance, self.worst, self.count, self.failed = tolerance, 0.0, 0, False

    def __call__(self, what, theirs, mine):
        self.count += 1
        self.worst = max(self.worst, abs(theirs - mine))
        if not abs(theirs - mine) <= self.tolerance:
            self.failed = True
            print(f"FAILED {what}: Heddle {theirs:.8f}, numpy {mine:.8f}")

    def done(self, title):
        print(f"{title}: {self.count} numbers, largest difference {self.worst:.1e}")
        failed, self.worst, self.count, self.failed = self.failed, 0.0, 0, False
        return failed


def nll_sum(logits, labels):
    return -log_softmax(logits)[np.arange(len(labels)), labels].sum()


def lens(heddle, model, rows, equal):
    report = heddle("inspect", "first", "--lens", "--examples", "0")["lens"]
    sums = np.zeros((LAYERS + 1, 4))
    for row in rows:
        given, labels = row[:-1], row[1:]
        logits, _, _ = model.run(given)
        final = log_softmax(logits[-1])
        for layer, one in enumerate(logits):
            own = log_softmax(one)
            sums[layer] += (nll_sum(one, labels), (own.argmax(-1) == labels).sum(), (own.argmax(-1) == final.argmax(-1)).sum(),
                            (np.exp(final) * (final - own)).sum())
    n = sum(len(row) - 1 for row in rows)
    equal("positions", report["positions"], n)
    for layer, one in enumerate(report["checkpoints"][0]["layers"]):
        for key, mine in zip(("loss", "accuracy", "same_as_final", "kl"), sums[layer] / n):
            equal(f"{one['path']} {key}", one[key], mine)


def labels(heddle, model, rows, equal):
    report = heddle("inspect", "first", "--labels", "--examples", "0")["labels"]
    maps = [model.run(row[:-1])[1] for row in rows]
    embed = model.w["embed.shared.weight"]
    for one in report["heads"]:
        path, head = one["path"], one["head"]
        own = [of[path, head] for of in maps]
        queries = [(p, i) for p in own for i in range(2, len(p))]
        equal(f"{path}:{head} n", one["n"], len(queries))
        for key, score in (("previous_token", lambda p, i: p[i, i - 1]), ("current_token", lambda p, i: p[i, i]),
                           ("first_token", lambda p, i: p[i, 0])):
            equal(f"{path}:{head} {key}", one[key], np.mean([score(p, i) for p, i in queries]))
        of = slice(head * WIDTH // HEADS, (head + 1) * WIDTH // HEADS)
        circuit = embed @ model.w[path + ".value.out.weight"][:, of] @ model.w[path + ".value.v.weight"][of] @ embed.T
        values = np.linalg.eigvals(circuit)
        equal(f"{path}:{head} copying", one["copying"], values.real.sum() / np.abs(values).sum())


def patching(heddle, model, other, rows, equal):
    report = heddle("inspect", "first", "--patch-from", "second", "--examples", "0")["patch"]
    n = sum(len(row) - 1 for row in rows)
    mine = sum(nll_sum(model.run(row[:-1])[0][-1], row[1:]) for row in rows) / n
    whole = sum(nll_sum(other.run(row[:-1])[0][-1], row[1:]) for row in rows) / n
    equal("other model", report["whole"]["intervened"], whole)
    for part in report["parts"]:
        key = (part["path"], part.get("head"))
        patched = sum(nll_sum(model.run(row[:-1], {key: other.run(row[:-1])[2][key]})[0][-1], row[1:]) for row in rows) / n
        equal(f"{key} loss", part["loss"]["intervened"], patched)
        equal(f"{key} restored", part["restored"] * (whole - mine), patched - mine)


def texts(heddle, model, lines, ids, equal):
    """Of the first two lines with equally many words to which the model answers different words."""
    answer = lambda line: model.run(np.array([BEGIN] + ids(line)))[0][-1][-1].argmax()
    clean, corrupt = next((a, b) for i, a in enumerate(lines) for b in lines[i + 1:]
                          if len(a.split()) == len(b.split()) and answer(a) != answer(b))
    given = [np.array([BEGIN] + ids(text)) for text in (clean, corrupt)]
    (clean_logits, _, outputs), (corrupt_logits, _, _) = model.run(given[0]), model.run(given[1])
    right, wrong = clean_logits[-1][-1].argmax(), corrupt_logits[-1][-1].argmax()
    report = heddle("inspect", "first", "--text", clean, "--corrupt", corrupt)["text_patch"]
    equal("clean", report["clean"], clean_logits[-1][-1][right] - clean_logits[-1][-1][wrong])
    equal("corrupt", report["corrupt"], corrupt_logits[-1][-1][right] - corrupt_logits[-1][-1][wrong])
    for part in report["parts"]:
        key = (part["path"], part.get("head"))
        logits = model.run(given[1], {key: outputs[key]})[0][-1][-1]
        equal(f"{key} patched", part["patched"], logits[right] - logits[wrong])


class Heddle:
    def __init__(self, program, folder):
        self.command, self.db = [program], str(folder / "runs.heddle")

    def __call__(self, *arguments):
        done = subprocess.run([*self.command, *arguments, "--db", self.db, "--json"], check=True, capture_output=True, text=True)
        return json.loads(done.stdout)

    def trained(self, folder, seed, name):
        spec = {"schema": 1, "seed": seed,
                "variant": {"preset": "nanogpt", "dims": {"d": WIDTH, "f": 32, "heads": HEADS, "layers_dec": LAYERS, "max_len": 40,
                                                          "vocab_tgt": "from_data"}},
                "data": {"task": "causal_lm", "format": "lines", "train": {"source": str(folder / "text")},
                         "valid": {"source": str(folder / "text")}, "tokenizer": {"kind": "words", "min_count": 1}},
                "train": {"steps": 120, "lr": 0.01, "batch": {"sentences": 10}, "label_smoothing": 0, "threads": 1,
                          "device": "cpu"}}
        (folder / f"{name}.json").write_text(json.dumps(spec))
        subprocess.run([*self.command, "train", str(folder / f"{name}.json"), "--name", name, "--db", self.db], check=True,
                       capture_output=True)
        report = self("inspect", name, "--examples", "1")
        run = pathlib.Path(self.db + ".d") / report["run"]
        return run, Model(run / f"step-{report['step']}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", required=True)
    parser.add_argument("--tolerance", type=float, default=2e-5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        draw = random.Random(1)
        lines = [" ".join(draw.choice(WORDS) for _ in range(draw.randint(3, 9))) for _ in range(60)]
        (folder / "text").write_text("\n".join(lines) + "\n")
        heddle = Heddle(options.heddle, folder)
        run, model = heddle.trained(folder, 1, "first")
        _, other = heddle.trained(folder, 2, "second")
        words = json.loads((run / "tokenizer" / "target.json").read_text())["words"]
        ids = {word: SPECIALS + i for i, word in enumerate(words)}
        rows = [np.array([BEGIN] + [ids[word] for word in line.split()] + [END]) for line in lines]
        equal = Comparison(options.tolerance)
        failed = False
        for title, check in (("lens", lambda: lens(heddle, model, rows, equal)),
                             ("labels", lambda: labels(heddle, model, rows, equal)),
                             ("patch from a run", lambda: patching(heddle, model, other, rows, equal)),
                             ("patch from a text",
                              lambda: texts(heddle, model, lines, lambda text: [ids[word] for word in text.split()], equal))):
            check()
            failed |= equal.done(title)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
