#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Greedy translation of the first N sentences of a file, by Heddle and by a PyTorch loop with cached keys and values, in turn.

    tests/bench/decode_peer.py --db DB --run RUN --source FILE [--sentences 500] [--rounds 5] [--threads N] [--python PROGRAM]

RUN is a finished translation run of the plain Transformer (preset eau-base, words split at white space). Both read its best
checkpoint and write the same texts (the share of equal ones is printed; ties of floating point may differ). The PyTorch loop
comes in two forms, each in batches of several sizes, of which the fastest counts: "plain", in the order of the file, every row
until the last one has ended; and "sorted", by length, where rows that have ended are left out. Heddle's time is
`decode_seconds` of `heddle evaluate --sentences N`, PyTorch's that of the loop alone: neither has the start of its process in
it. Prints one JSON document: the ratio of the medians for each form, both programs' times.
"""
import argparse
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEDDLE = ROOT / "build" / "release" / "bin" / "heddle"
UNK, PAD, SOS, EOS, WORDS = 0, 1, 2, 3, 4
BATCHES = (32, 64, 128)


def started(command, options, **more):
    """A program on as many processors as it is to have threads: Heddle takes one for each that it may use."""
    processors = sorted(os.sched_getaffinity(0))[:options.threads]
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True,
                          preexec_fn=lambda: os.sched_setaffinity(0, processors), **more)


def heddle(options, *words):
    return started([HEDDLE, "--db", options.db, *words], options).stdout


def measure_heddle(options):
    split = ["--set", f"data.test.source={options.source}", "--set", f"data.test.target={options.source}"]
    printed = json.loads(heddle(options, "evaluate", "--run", options.run, "--split", "test", *split, "--sentences",
                                str(options.sentences), "--json"))
    return next(value["value"] for value in printed["values"] if value["metric"] == "decode_seconds")


# ---- the peer, run as a process of its own: `decode_peer.py --peer …` ----

class Peer:
    """The plain Transformer (Vaswani et al. 2017, norm after every sum) from a checkpoint, for decoding."""

    def __init__(self, torch, folder, heads):
        self.t, self.heads = torch, heads
        self.w = load_weights(torch, folder / "weights.safetensors")
        self.d = self.w["embed.source.weight"].shape[1]
        self.layers = {side: 1 + max(int(name.split(".")[2]) for name in self.w if name.startswith(side + ".layers."))
                       for side in ("encoder", "decoder")}
        angles = torch.arange(512, dtype=torch.float64)[:, None] / 10000 ** (
            torch.arange(0, self.d, 2, dtype=torch.float64) / self.d)
        self.positions = torch.stack([angles.sin(), angles.cos()], -1).flatten(1).float()

    def linear(self, x, name):
        return self.t.nn.functional.linear(x, self.w[name + ".weight"], self.w[name + ".bias"])

    def norm(self, x, name):
        return self.t.nn.functional.layer_norm(x, (self.d,), self.w[name + ".weight"], self.w[name + ".bias"])

    def split(self, x):
        return x.view(x.shape[0], x.shape[1], self.heads, -1).transpose(1, 2)

    def attend(self, q, k, v, path, mask):
        mixed = self.t.nn.functional.scaled_dot_product_attention(q, k, v, mask)
        return self.linear(mixed.transpose(1, 2).flatten(2), path + ".value.out")

    def feed_forward(self, x, path):
        hidden = self.linear(self.linear(x, path + ".ffn.in").relu(), path + ".ffn.out")
        return self.norm(x + hidden, path + ".norm")

    def encode(self, ids):
        x = self.w["embed.source.weight"][ids] + self.positions[:ids.shape[1]]
        mask = (ids != PAD)[:, None, None, :]
        for i in range(self.layers["encoder"]):
            path = f"encoder.layers.{i}"
            q, k, v = (self.split(self.linear(x, f"{path}.self.{part}")) for part in ("scorer.q", "scorer.k", "value.v"))
            x = self.norm(x + self.attend(q, k, v, path + ".self", mask), path + ".self.norm")
            x = self.feed_forward(x, path + ".ffn")
        return x, mask

    def decode(self, ids, limits, leaves_out):
        """Tokens of each row without <eos>; a row ends at <eos> or at its limit, and is then computed on or left out."""
        torch = self.t
        memory, mask = self.encode(ids)
        cross = [tuple(self.split(self.linear(memory, f"decoder.layers.{i}.cross.{part}")) for part in ("scorer.k", "value.v"))
                 for i in range(self.layers["decoder"])]
        kept = [None] * self.layers["decoder"]
        rows, texts = list(range(len(limits))), [[] for _ in limits]
        token, ended = torch.full((len(rows), 1), SOS), set()
        for position in range(max(limits)):
            x = self.w["embed.target.weight"][token] + self.positions[position]
            for i in range(self.layers["decoder"]):
                path = f"decoder.layers.{i}"
                q, k, v = (self.split(self.linear(x, f"{path}.self.{part}")) for part in ("scorer.q", "scorer.k", "value.v"))
                if kept[i] is not None:
                    k, v = torch.cat([kept[i][0], k], 2), torch.cat([kept[i][1], v], 2)
                kept[i] = (k, v)
                x = self.norm(x + self.attend(q, k, v, path + ".self", None), path + ".self.norm")
                q = self.split(self.linear(x, path + ".cross.scorer.q"))
                x = self.norm(x + self.attend(q, *cross[i], path + ".cross", mask), path + ".cross.norm")
                x = self.feed_forward(x, path + ".ffn")
            logits = self.linear(x[:, 0], "head")
            logits[:, [PAD, SOS]] = -math.inf
            chosen = logits.argmax(-1).tolist()
            going = []
            for at, (row, word) in enumerate(zip(rows, chosen)):
                if row not in ended and word != EOS:
                    texts[row].append(word)
                    if len(texts[row]) < limits[row]:
                        going.append(at)
                        continue
                ended.add(row)
            if not going:
                break
            if not leaves_out:
                going = list(range(len(rows)))
            if len(going) < len(rows):
                index = torch.tensor(going)
                kept = [(k[index], v[index]) for k, v in kept]
                cross = [(k[index], v[index]) for k, v in cross]
                mask, rows = mask[index], [rows[at] for at in going]
            token = torch.tensor([[chosen[at]] for at in going])
        return texts


def load_weights(torch, file):
    data = file.read_bytes()
    size = int.from_bytes(data[:8], "little")
    weights = {}
    for name, entry in json.loads(data[8:8 + size]).items():
        if name != "__metadata__":
            begin, end = (8 + size + offset for offset in entry["data_offsets"])
            weights[name] = torch.frombuffer(bytearray(data[begin:end]), dtype=torch.float32).view(entry["shape"])
    return weights


def run_peer(options):
    import torch
    torch.set_num_threads(options.threads)
    folder = pathlib.Path(options.checkpoint)
    words = [json.loads((folder.parent / "tokenizer" / f"{side}.json").read_text())["words"] for side in ("source", "target")]
    ids = {word: number + WORDS for number, word in enumerate(words[0])}
    lines = pathlib.Path(options.source).read_text().splitlines()[:options.sentences]
    sources = [[ids.get(word, UNK) for word in line.lower().split()][:options.max_len - 1] for line in lines]
    orders = {"plain": list(range(len(sources))), "sorted": sorted(range(len(sources)), key=lambda i: len(sources[i]))}
    peer = Peer(torch, folder, options.heads)

    def once(form, size):
        order = orders[form]
        texts = [None] * len(sources)
        for first in range(0, len(order), size):
            rows = order[first:first + size]
            width = max(len(sources[i]) for i in rows) + 1
            batch = torch.tensor([sources[i] + [EOS] + [PAD] * (width - len(sources[i]) - 1) for i in rows])
            limits = [min(options.max_len, 2 * len(sources[i]) + 10) for i in rows]
            for i, text in zip(rows, peer.decode(batch, limits, form == "sorted")):
                texts[i] = text
        return texts

    with torch.inference_mode():
        once("sorted", BATCHES[1])  # warm
        seconds = {}
        for form in orders:
            for size in BATCHES:
                began = time.perf_counter()
                texts = once(form, size)
                seconds[f"{form} {size}"] = time.perf_counter() - began
    print(json.dumps({"seconds": seconds,
                      "texts": [" ".join(words[1][word - WORDS] if word >= WORDS else "<unk>" for word in text)
                                for text in texts]}))


def measure_peer(options, checkpoint):
    command = [options.python, __file__, "--peer", "--checkpoint", checkpoint, "--heads", str(options.heads), "--max-len",
               str(options.max_len)]
    for name in ("source", "sentences", "threads"):
        command += [f"--{name}", str(getattr(options, name))]
    return json.loads(started(command, options).stdout)


def compare(options):
    run = json.loads(heddle(options, "runs", "show", options.run, "--json"))
    variant = run["spec"]["variant"]
    if variant.get("preset", "eau-base") != "eau-base" or set(variant) - {"preset", "dims"}:
        raise SystemExit(f"run {options.run} is not of preset eau-base alone: the PyTorch loop knows nothing else")
    options.heads, options.max_len = variant["dims"].get("heads", 8), variant["dims"].get("max_len", 128)
    best = [c for c in run["checkpoints"] if c["kind"] == "best"] or run["checkpoints"]
    checkpoint = pathlib.Path(best[-1]["path"])
    ours, peers = [], []
    for turn in range(options.rounds):
        print(f"turn {turn + 1} of {options.rounds}", file=sys.stderr, flush=True)
        ours.append(measure_heddle(options))
        peers.append(measure_peer(options, checkpoint))
    medians = {way: statistics.median(p["seconds"][way] for p in peers) for way in peers[0]["seconds"]}
    fastest = {form: min((way for way in medians if way.startswith(form)), key=medians.get) for form in ("plain", "sorted")}
    median = statistics.median(ours)
    lines = pathlib.Path(options.source).read_text().splitlines()[:options.sentences]
    texts = started([HEDDLE, "--db", options.db, "translate", "--run", options.run], options,
                    input="\n".join(lines) + "\n").stdout.splitlines()
    equal = sum(a == b for a, b in zip(texts, peers[0]["texts"]))
    print(json.dumps({"sentences": options.sentences, "threads": options.threads, "heddle_seconds": ours,
                      "peer_seconds": {way: [p["seconds"][way] for p in peers] for way in medians},
                      "ratio": {form: round(medians[way] / median, 3) for form, way in fastest.items()},
                      "fastest": fastest, "equal_texts": equal}))


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--db")
    p.add_argument("--run")
    p.add_argument("--source", required=True)
    p.add_argument("--sentences", type=int, default=500)
    p.add_argument("--rounds", type=int, default=5)
    p.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    p.add_argument("--python", default=sys.executable, help="a Python that has torch")
    for name in ("--checkpoint", "--heads", "--max-len"):
        p.add_argument(name, help=argparse.SUPPRESS, **({} if name == "--checkpoint" else {"type": int}))
    p.add_argument("--peer", action="store_true", help=argparse.SUPPRESS)
    options = p.parse_args()
    run_peer(options) if options.peer else compare(options)


if __name__ == "__main__":
    main()
