# SPDX-License-Identifier: Apache-2.0
"""Spec files that a stranger made."""
import itertools
import json
import random

from corpus import BIDI, Case, ESCAPE, HOSTILE_TEXT, flipped, spec, write


def places(value, path=()):
    """Paths of all members, objects and lists too."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, member in items:
        yield (*path, key)
        yield from places(member, (*path, key))


def with_value(document, path, value):
    """A copy of a JSON document with another value at a path of keys."""
    copy = json.loads(json.dumps(document))
    place = copy
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return copy


def texts(honest):
    text = json.dumps(honest)
    yield "empty", b""
    yield "nul", b"\0" * 100
    yield "mark", b"\xef\xbb\xbf" + text.encode()
    yield "utf16", text.encode("utf-16")
    yield "no-utf8", text.replace("train.src", "\udcff\udcfe").encode("utf-8", "surrogateescape")
    yield "surrogate", text.replace("train.src", "\\ud800").encode()
    yield "deep-list", b"[" * 1_000_000
    yield "deep-object", b'{"variant":' * 100_000
    yield "deep-closed", b'{"a":' * 60 + b"1" + b"}" * 60
    yield "nan", text.replace("0.003", "NaN").encode()
    yield "infinity", text.replace("0.003", "Infinity").encode()
    yield "giant-number", text.replace("0.003", "1e999").encode()
    yield "long-number", text.replace("0.003", "1" * 1_000_000).encode()
    yield "small-number", text.replace("0.003", "1e-400").encode()
    yield "key-twice", (text[:-1] + ',"train":{}}').encode()
    yield "comment", ("// spec\n" + text).encode()
    yield "trailing", (text + text).encode()
    yield "big", b'{"name":"' + b"y" * (200 << 20) + b'"}'
    yield "long-name", json.dumps({**honest, "name": "y" * 1_000_000}).encode()
    yield "name-of-controls", json.dumps({**honest, "name": HOSTILE_TEXT}).encode()
    yield "long-key", json.dumps({**honest, "y" * 10_000_000: 1}).encode()
    yield "key-of-controls", json.dumps({**honest, HOSTILE_TEXT: 1, ESCAPE: {BIDI: 2}}, ensure_ascii=False).encode()
    yield "inner-key-of-controls", json.dumps({**honest, "train": {"steps" + ESCAPE: 1, f"lr\n{BIDI}": 3}}).encode()
    yield "value-of-controls", json.dumps({**honest, "data": {"task": HOSTILE_TEXT, "format": ESCAPE}}).encode()
    yield "path-of-controls", json.dumps(with_value(honest, ("data", "train", "source"), HOSTILE_TEXT)).encode()
    yield "million-keys", json.dumps({**honest, **{f"k{i}": i for i in range(1_000_000)}}).encode()[:16 << 20]
    yield "million-inner-keys", json.dumps({**honest, "train": {f"k{i}": i for i in range(1_000_000)}}).encode()
    yield "million-values", json.dumps({**honest, "record": {"probes": list(range(2_000_000))}}).encode()
    yield "million-sublayers", json.dumps({"variant": {"encoder": {"sublayers": ["self"] * 500_000}}}).encode()


def with_spec(base, data):
    return base.copied(lambda folder: write(folder / "s.json", data))


def cases(base, seeds):
    honest = spec()
    flips = ((f"flips-{seed}", flipped(json.dumps(honest).encode(), random.Random(seed), 2)) for seed in range(seeds))
    checks = [["variants", "check", "s.json"], ["variants", "count", "s.json", "--json"], ["variants", "show", "s.json"],
              ["variants", "diff", "s.json", "eau-base"]]
    training = ["train", "s.json", "--steps", "1", "--db", "out/n.heddle"]
    for name, data in itertools.chain(texts(honest), flips):
        yield Case(f"spec/{name}", with_spec(base, data), [*checks, training])
    junk = (None, -1, 2**63, 1e308, 0.5, HOSTILE_TEXT, "../victim/kept.txt", [], ["x"], {"kind": ESCAPE})
    for path in places(honest):
        name = "-".join(str(key) for key in path)
        for number, value in enumerate(junk):
            yield Case(f"spec/{name}-{number}", with_spec(base, json.dumps(with_value(honest, path, value)).encode()),
                       [checks[0], training])
    for number, assignment in enumerate((f"train.lr{ESCAPE}=1", f"{BIDI}=1", "=", "train=", "train.lr=1e999", "a.b.c.d.e=1",
                                         "train.lr=[" + "[" * 90, "name=" + "y" * 100_000, f"name={HOSTILE_TEXT}",
                                         "encoder.layers.99999999999999999999.self.residual.kind=grc")):
        yield Case(f"spec/set-{number}", with_spec(base, b""), [["variants", "check", "spec.json", "--set", assignment],
                                                ["train", "spec.json", "--steps", "1", "--db", "out/n.heddle", "--set", assignment],
                                                ["train", "spec.json", "--steps", "1", "--db", "out/n.heddle", "--name", assignment],
                                                ["runs", "list", "--db", "out/n.heddle"]])
