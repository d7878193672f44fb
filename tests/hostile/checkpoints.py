# SPDX-License-Identifier: Apache-2.0
"""Checkpoint folders and published weights that a stranger made."""
import json
import random
import struct

from corpus import Case, HOSTILE_TEXT, edit, flipped, make_safetensors, read_safetensors, reseal, sha256, write


def seal_in_database(folder, base):
    """Lets the database record what the files are now."""
    place = base.checkpoint(folder)
    hashes = [sha256((place / name).read_bytes()) for name in ("weights.safetensors", "optimizer.safetensors", "state.json")]
    edit(folder, ("UPDATE checkpoint SET weights_sha256 = ?, optimizer_sha256 = ?, state_sha256 = ? WHERE step = 6", tuple(hashes)))


def changed(base, name, data):
    """A copy in which a file of the newest checkpoint has this content, with hashes that say so."""
    def change(folder):
        write(base.checkpoint(folder) / name, data)
        if name != "state.json":
            reseal(base.checkpoint(folder))
        seal_in_database(folder, base)
    return base.copied(change)


def commands(base):
    place = f"t.heddle.d/{base.id}/step-6"
    return [["translate", "--run", base.id, "--checkpoint", "6", "ana sees birds ."],
            ["evaluate", "--run", base.id, "--checkpoint", "6"], ["inspect", base.id, "--step", "6", "--text", "ana"],
            ["resume", base.id],
            ["train", "spec.json", "--steps", "1", "--db", "out/n.heddle", "--set", f'train.start.checkpoint="{place}"'],
            ["train", "spec.json", "--steps", "1", "--db", "out/n.heddle", "--from", f"{place}/weights.safetensors"]]


def headers(header):
    """Wrong headers from a right one: name → (header, change of the data)."""
    first, second = sorted((name for name in header if name != "__metadata__"), key=lambda n: header[n]["data_offsets"])[:2]

    def one(**change):
        return {**header, first: {**header[first], **change}}
    begin, end = header[first]["data_offsets"]
    yield "overlap", {**header, second: {**header[second], "data_offsets": header[first]["data_offsets"]}}
    yield "hole", one(data_offsets=[begin, end - 4])
    yield "reversed", one(data_offsets=[end, begin])
    yield "far", one(data_offsets=[2**62, 2**62 + end - begin])
    yield "overflow", one(data_offsets=[begin, 2**64 - 1])
    yield "negative", one(data_offsets=[-4, end - 4])
    yield "fraction", one(data_offsets=[0.5, end])
    yield "three-offsets", one(data_offsets=[begin, end, end])
    yield "shape-product", one(shape=[2**32, 2**32, 2**32])
    yield "shape-negative", one(shape=[-1, 4])
    yield "shape-zero", one(shape=[0, 2**62], data_offsets=[begin, begin])
    yield "shape-deep", one(shape=[1] * 10000)
    yield "shape-other", one(shape=[header[first]["shape"][0] + 1, *header[first]["shape"][1:]])
    yield "dtype-other", one(dtype="F64")
    yield "dtype-unknown", one(dtype=HOSTILE_TEXT)
    yield "dtype-number", one(dtype=7)
    yield "not-an-object", {**header, first: 3}
    yield "missing", {name: value for name, value in header.items() if name != first}
    yield "more", {**header, HOSTILE_TEXT: {"dtype": "F32", "shape": [0], "data_offsets": [end, end]}}
    yield "long-name", {**header, "x" * 3000000: {"dtype": "F32", "shape": [0], "data_offsets": [0, 0]}}
    yield "array", [1, 2]
    yield "deep", b"[" * 100000
    yield "duplicate", (json.dumps(header)[:-1] + "," + json.dumps({first: header[first]})[1:]).encode()
    yield "no-utf8", b'{"\xff\xfe": 3}'
    yield "metadata", {**header, "__metadata__": {"a": HOSTILE_TEXT}}


def states(state):
    for name, value in (("empty", b""), ("null", b"null"), ("array", b"[]"), ("deep", b'{"a":' * 100000), ("text", b"\x00\xff")):
        yield name, value
    for key in ("schema", "state", "identity", "files"):
        for number, junk in enumerate((None, 3, "x", [], {}, HOSTILE_TEXT)):
            yield f"{key}-{number}", json.dumps({**state, key: junk}).encode()
        yield f"no-{key}", json.dumps({k: v for k, v in state.items() if k != key}).encode()
    for key in state["state"]:
        for number, junk in enumerate((-1, 2**63 - 1, "x", None, 1e308)):
            yield f"state-{key}-{number}", json.dumps({**state, "state": {**state["state"], key: junk}}).encode()
    for key in state["identity"]:
        for number, junk in enumerate((None, [], {}, ["x"], [7, 8], "x")):
            yield f"identity-{key}-{number}", json.dumps({**state, "identity": {**state["identity"], key: junk}}).encode()
    yield "path", json.dumps({**state, "files": {"../../../victim/kept.txt": {"sha256": "", "bytes": 1}}}).encode()


def cases(base, seeds):
    place = base.checkpoint(base.folder)
    tried = commands(base)
    weights = (place / "weights.safetensors").read_bytes()
    header, body = read_safetensors(weights)
    for name, wrong in headers(header):
        yield Case(f"checkpoint/header-{name}", changed(base, "weights.safetensors", make_safetensors(wrong, body)), tried)
    optimizer, rest = read_safetensors((place / "optimizer.safetensors").read_bytes())
    for name, wrong in headers(optimizer):
        yield Case(f"checkpoint/optimizer-{name}", changed(base, "optimizer.safetensors", make_safetensors(wrong, rest)), tried[2:3])
    for length in (0, 1, 7, 8, 2**32, 2**63, 2**64 - 1, 100 << 20):
        made = struct.pack("<Q", length) + weights[8:]
        yield Case(f"checkpoint/length-{length}", changed(base, "weights.safetensors", made), tried)
    for cut in (0, 1, 7, 8, 9, 100, 512, len(weights) // 2, len(weights) - 512, len(weights) - 1):
        yield Case(f"checkpoint/cut-{cut}", changed(base, "weights.safetensors", weights[:cut]), tried)
    for name, value in (("nan", struct.pack("<f", float("nan"))), ("infinity", struct.pack("<f", float("inf")))):
        made = weights[:len(weights) - len(body)] + value * (len(body) // 4)
        yield Case(f"checkpoint/{name}", changed(base, "weights.safetensors", made), tried)
    for name, made in states(json.loads((place / "state.json").read_text())):
        yield Case(f"checkpoint/state-{name}", changed(base, "state.json", made), tried[:4])
    for seed in range(seeds):
        generator = random.Random(seed)
        for name in ("weights.safetensors", "state.json"):
            made = flipped((place / name).read_bytes(), generator, generator.choice((1, 5)))
            yield Case(f"checkpoint/flips-{name}-{seed}", changed(base, name, made), tried)
