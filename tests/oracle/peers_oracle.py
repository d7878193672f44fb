#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The losses of 50 training steps, Heddle's against Python torch's, from equal weights and on equal batches.

For each workload: dumps batches with peers.py, lets `oracle_steps` build the variant, write its initial weights and train;
loads these weights into the model of peers.py and trains it with torch's own AdamW, clipping and cross-entropy. Dropout 0, fp32,
CPU. Exit 1 when a loss differs by more than --tolerance. tests/oracle/run.sh prepares what this needs.
"""
import argparse
import importlib.util
import json
import pathlib
import struct
import subprocess
import sys
from dataclasses import replace

import numpy as np
import torch

ROOT = pathlib.Path(__file__).resolve().parents[2]
PRESETS = {"W1": "eau-base", "W6": "eau-full"}


def load_peers(path):
    spec = importlib.util.spec_from_file_location("peers", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["peers"] = module
    spec.loader.exec_module(module)
    return module


def run_spec(work, options):
    """The workload as a run spec of Heddle."""
    return {
        "schema": 1, "seed": options.seed,
        "variant": {
            "preset": PRESETS[work.name],
            "dims": {"d": work.d, "f": work.f, "heads": work.H, "layers_enc": work.Le, "layers_dec": work.Ld,
                     "max_len": work.S, "vocab_src": work.Vs, "vocab_tgt": work.Vt},
            "embed": {"dropout": 0.0},
            "defaults": {"dropout": {"sublayer": 0.0, "attention": 0.0}, "ffn": {"inner_dropout": 0.0}},
        },
        "train": {
            "optimizer": {"kind": "adamw", "betas": [0.9, 0.98], "weight_decay": 0.01},
            "schedule": {"kind": "constant"}, "lr": options.lr, "clip": 1.0, "label_smoothing": work.smooth,
            "steps": options.steps, "epochs": 0, "device": "cpu",
        },
    }


def read_safetensors(path):
    data = path.read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    tensors = {}
    for name, entry in json.loads(data[8:8 + size]).items():
        if name == "__metadata__":
            continue
        begin, end = entry["data_offsets"]
        values = np.frombuffer(data[8 + size + begin:8 + size + end], dtype={"F32": "<f4", "F64": "<f8"}[entry["dtype"]])
        tensors[name] = torch.from_numpy(values.copy()).reshape(entry["shape"])
    return tensors


def attention_weights(ours, path, mine):
    """Heddle's separate projections → the peer's fused ones (self: q k v in one; cross: k v in one)."""
    for kind in ("weight", "bias"):
        q, k = (ours.pop(f"{path}.scorer.{x}.{kind}") for x in "qk")
        v = ours.pop(f"{path}.value.v.{kind}")
        if path.endswith(".cross"):
            yield f"{mine}.q.{kind}", q
            yield f"{mine}.kv.{kind}", torch.cat([k, v])
        else:
            yield f"{mine}.kv.{kind}", torch.cat([q, k, v])
        yield f"{mine}.o.{kind}", ours.pop(f"{path}.value.out.{kind}")


def layer_weights(ours, path, mine, sublayers, gated):
    for i, name in enumerate(sublayers):
        here = f"{path}.{name}"
        for kind in ("weight", "bias"):
            yield f"{mine}.norm.{i}.{kind}", ours.pop(f"{here}.norm.{kind}")
            if gated:
                yield f"{mine}.grc.{i}.{kind}", ours.pop(f"{here}.residual.gate.{kind}")
            if gated and name != "ffn":
                w1, w2, w3 = (ours.pop(f"{here}.adjuster.{w}.{kind}") for w in ("w1", "w2", "w3"))
                yield f"{mine}.eau13.{i}.{kind}", torch.cat([w1, w3])
                yield f"{mine}.eau2.{i}.{kind}", w2
            if name == "ffn":
                yield f"{mine}.up.{kind}", ours.pop(f"{here}.ffn.in.{kind}")
                yield f"{mine}.down.{kind}", ours.pop(f"{here}.ffn.out.{kind}")
        if name != "ffn":
            yield from attention_weights(ours, here, f"{mine}.att.{i}")


def peer_weights(ours, work):
    """Every weight of Heddle's model under the peer's name; a weight that is left over is an error."""
    mapped = {"emb.0.weight": ours.pop("embed.source.weight"), "emb.1.weight": ours.pop("embed.target.weight"),
              "out.weight": ours.pop("head.weight"), "out.bias": ours.pop("head.bias")}
    for stack, mine, layers, sublayers in (("encoder", "enc", work.Le, ("self", "ffn")),
                                           ("decoder", "dec", work.Ld, ("self", "cross", "ffn"))):
        for n in range(layers):
            mapped.update(layer_weights(ours, f"{stack}.layers.{n}", f"{mine}.{n}", sublayers, work.eau))
    if ours:
        raise SystemExit(f"weights without a place in the peer: {sorted(ours)}")
    return mapped


def peer_losses(peers, work, weights, batches, options):
    model = peers.Net(work, False)
    model.load_state_dict(weights)
    optimizer = torch.optim.AdamW(model.parameters(), lr=options.lr, betas=(0.9, 0.98), weight_decay=0.01)
    losses = []
    for step in range(options.steps):
        arrays = batches[step % len(batches)][0]
        loss = model(*(torch.from_numpy(np.ascontiguousarray(arrays[name])).long() for name in model.fields))
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
    return losses


def compare(peers, name, options):
    sizes = {k: v for k, v in (("B", options.batch), ("S", options.seq)) if v}
    work = replace(next(w for w in peers.workloads() if w.name == name), drop=0.0, adrop=0.0, **sizes)
    folder = options.out / name
    folder.mkdir(parents=True, exist_ok=True)
    dump = argparse.Namespace(seed=options.seed, pool=options.pool, tiny=False)
    peers.dump(str(folder / "batches.bin"), [work], dump)
    (folder / "spec.json").write_text(json.dumps(run_spec(work, options), indent=2))
    subprocess.run([options.program, folder / "spec.json", folder / "batches.bin", name, folder], check=True)
    ours = json.loads((folder / "losses.json").read_text())
    weights = read_safetensors(folder / "weights.safetensors")
    count = sum(w.numel() for w in weights.values())
    theirs = peer_losses(peers, work, peer_weights(weights, work), peers.make_batches(work, dump), options)
    if len(ours) != len(theirs):
        raise SystemExit(f"{name}: {len(ours)} losses from Heddle, {len(theirs)} from torch")
    worst = max(abs(a - b) for a, b in zip(ours, theirs))
    row = {"workload": name, "parameters": count, "batch": work.B, "seq": work.S, "steps": options.steps, "lr": options.lr,
           "first": [ours[0], theirs[0]], "last": [ours[-1], theirs[-1]], "max_difference": worst,
           "ok": worst <= options.tolerance and ours[-1] < ours[0]}
    print(json.dumps(row), flush=True)
    return row["ok"]


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--peers", type=pathlib.Path, default=ROOT.parent / "shared" / "peers" / "peers.py", help="peers.py")
    p.add_argument("--program", type=pathlib.Path, default=ROOT / "build" / "release" / "bin" / "oracle_steps")
    p.add_argument("--out", type=pathlib.Path, default=ROOT / "build" / "oracle")
    p.add_argument("--workloads", default="W1,W6")
    p.add_argument("--batch", type=int, default=8, help="sentences a batch; 0: the workload's own")
    p.add_argument("--seq", type=int, default=0, help="tokens a sentence; 0: the workload's own")
    p.add_argument("--steps", type=int, default=50)
    p.add_argument("--pool", type=int, default=16, help="distinct batches")
    p.add_argument("--lr", type=float, default=1e-4, help="the default of peers.py")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--tolerance", type=float, default=1e-4, help="largest difference of a loss, absolute")
    options = p.parse_args()
    if not options.peers.exists():
        raise SystemExit(f"{options.peers} is not there; name it with --peers")
    peers = load_peers(options.peers)
    results = [compare(peers, name, options) for name in options.workloads.split(",")]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
