#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What muting a head costs, Heddle's number against Python torch's: the model of peers.py with zeroed columns of W_O.

Takes a run of preset eau-base or eau-full (translation, words tokenizer) from a database; loads its weights into the model of
peers.py; computes the loss of the first validation examples teacher-forced, sentence by sentence, as trained and with the columns of
each muted head set to zero; and compares both with `heddle inspect --mute`. Exit 1 when a loss differs by more than --tolerance.
Needs torch and numpy:
  inspect_oracle.py --heddle build/release/bin/heddle --db runs.heddle --run base --peers PEERS.PY --mute decoder.layers.1.cross:0
"""
import argparse
import gzip
import json
import pathlib
import subprocess
import sys

import numpy as np
import torch

import peers_oracle

UNKNOWN, PAD, BEGIN, END, SPECIALS = 0, 1, 2, 3, 4  # engine/data/tokenizers/tokenizer.h
ORDER = {"encoder": ("enc", ("self", "ffn")), "decoder": ("dec", ("self", "cross", "ffn"))}


def heddle(options, *arguments):
    command = [options.heddle, *arguments, "--db", options.db, "--json"]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def lines(path, count):
    opened = gzip.open(path, "rt", encoding="utf-8") if path.endswith(".gz") else open(path, encoding="utf-8")
    with opened as file:
        return [line.rstrip("\n") for _, line in zip(range(count), file)]


class Words:
    def __init__(self, path):
        document = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
        assert document["schema"] == "heddle.words/1" and document["split"] == "whitespace", document["schema"]
        self.lower = document["lower"]
        self.ids = {word: SPECIALS + i for i, word in enumerate(document["words"])}

    def __call__(self, line):
        return [self.ids.get(word, UNKNOWN) for word in (line.lower() if self.lower else line).split()]

    def __len__(self):
        return SPECIALS + len(self.ids)


def loss_of(model, pairs):
    total, tokens = 0.0, 0
    with torch.no_grad():
        for source, target in pairs:
            source, given = torch.tensor([source + [END]]), torch.tensor([[BEGIN] + target])
            memory = model.stack(model.enc, model.emb[0](source), None, None)
            hidden = model.stack(model.dec, model.emb[1](given), memory, None, model.tri[:given.shape[1], :given.shape[1]])
            logits = model.out(hidden)[0].double()
            total += torch.nn.functional.cross_entropy(logits, torch.tensor(target + [END]), reduction="sum").item()
            tokens += len(target) + 1
    return total / tokens, tokens


def mute(model, text, heads):
    """The columns of the output projection that read the head."""
    path, head = text.rsplit(":", 1)
    stack, _, layer, sublayer = path.split(".")
    mine, sublayers = ORDER[stack]
    projection = getattr(model, mine)[int(layer)].att[sublayers.index(sublayer)].o
    width = projection.weight.shape[1] // heads
    with torch.no_grad():
        projection.weight[:, int(head) * width:(int(head) + 1) * width] = 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("heddle", "db", "run", "peers"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--mute", action="append", required=True, metavar="PATH:HEAD")
    parser.add_argument("--examples", type=int, default=256)
    parser.add_argument("--tolerance", type=float, default=1e-5)
    options = parser.parse_args()

    arguments = [argument for text in options.mute for argument in ("--mute", text)]
    report = heddle(options, "inspect", options.run, "--examples", str(options.examples), *arguments)
    shown = heddle(options, "runs", "show", options.run)
    spec, run = shown["spec"], shown["run"]
    dims = spec["variant"].get("dims", {})
    folder = pathlib.Path(options.db + ".d") / run
    source, target = (Words(folder / "tokenizer" / f"{side}.json") for side in ("source", "target"))

    peers = peers_oracle.load_peers(options.peers)
    weights = peers_oracle.read_safetensors(folder / f"step-{report['step']}" / "weights.safetensors")
    gated = any(".residual.gate." in name for name in weights)
    work = peers.Work("run", "s2s", dims.get("d", 512), dims.get("f", 2048), dims.get("heads", 8), dims.get("layers_enc", 6),
                      dims.get("layers_dec", 6), len(source), len(target), 1, dims.get("max_len", 128), eau=gated, drop=0.0)
    model = peers.Net(work, False).eval()
    model.load_state_dict(peers_oracle.peer_weights(weights, work))

    valid = spec["data"]["valid"]
    pairs = [(source(a), target(b))
             for a, b in zip(lines(valid["source"], options.examples), lines(valid["target"], options.examples))]
    trained, tokens = loss_of(model, pairs)
    for text in options.mute:
        mute(model, text, work.H)
    muted, _ = loss_of(model, pairs)

    theirs = next(value for value in report["values"] if value["metric"] == "loss")
    failed = False
    for name, mine in (("trained", trained), ("intervened", muted)):
        difference = theirs[name] - mine
        failed |= abs(difference) > options.tolerance
        print(f"{name:<11} Heddle {theirs[name]:.7f}  torch {mine:.7f}  difference {difference:+.1e}")
    print(f"{tokens} tokens (Heddle: {theirs['n']}), {'FAILED' if failed else 'equal'} at {options.tolerance:g}")
    return int(failed or tokens != theirs["n"])


if __name__ == "__main__":
    sys.exit(main())
