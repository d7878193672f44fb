# SPDX-License-Identifier: Apache-2.0
"""Folders of transformers that a stranger made."""
import json
import pathlib
import random
import shutil
import struct

from checkpoints import headers
from corpus import Case, HOSTILE_TEXT, flipped, make_safetensors, read_safetensors, write
from specs import with_value

MODEL = pathlib.Path(__file__).parents[1] / "unit/engine/exchange/cases/gpt2"
IMPORT = ["weights", "import", "model", "--name", "m", "--db", "out/n.heddle"]
ENCODE = ["tokenizer", "encode", "--tokenizer", "model/tokenizer.json", "the man \u00e9"]
JUNK = (None, -1, 0, 2**63, 1e308, "x", [], {}, HOSTILE_TEXT)


def changed(base, files):
    """A copy of `base` with the folder "model", in which these files have these contents; a file of None is removed."""
    def change(folder):
        shutil.copytree(MODEL, folder / "model")
        for name, data in files.items():
            if data is None:
                (folder / "model" / name).unlink()
            else:
                write(folder / "model" / name, data)
    return base.copied(change)


def replaced(document, path, value):
    return json.dumps(with_value(document, path, value))


def cases(base, seeds):
    weights = (MODEL / "model.safetensors").read_bytes()
    header, body = read_safetensors(weights)
    for name, wrong in headers(header):
        yield Case(f"exchange/header-{name}", changed(base, {"model.safetensors": make_safetensors(wrong, body)}), [IMPORT])
    for length in (0, 7, 2**32, 2**64 - 1, 100 << 20):
        made = struct.pack("<Q", length) + weights[8:]
        yield Case(f"exchange/length-{length}", changed(base, {"model.safetensors": made}), [IMPORT])
    for cut in (0, 7, 9, len(weights) // 2, len(weights) - 1):
        yield Case(f"exchange/cut-{cut}", changed(base, {"model.safetensors": weights[:cut]}), [IMPORT])
    config = json.loads((MODEL / "config.json").read_text())
    for key in config:
        for number, junk in enumerate(JUNK):
            yield Case(f"exchange/config-{key}-{number}", changed(base, {"config.json": replaced(config, [key], junk)}), [IMPORT])
    for number, junk in enumerate((b"", b"[]", b'{"weight_map":[]}', b'{"weight_map":{"a":"../../../victim/kept.txt"}}', b'{"weight_map":{"a":7}}',
                                   b'{"weight_map":{"a":"missing.safetensors"}}', b'{"weight_map":{"a":"config.json"}}', b"[" * 100000)):
        files = {"model.safetensors": None, "model.safetensors.index.json": junk}
        yield Case(f"exchange/index-{number}", changed(base, files), [IMPORT])
    tokenizer = json.loads((MODEL / "tokenizer.json").read_text())
    paths = [[key] for key in tokenizer] + [["model", key] for key in tokenizer["model"]] + [
        ["model", "vocab", "a"], ["model", "merges", 0], ["added_tokens", 0], ["added_tokens", 0, "id"], ["added_tokens", 0, "content"],
        ["pre_tokenizer", "type"], ["decoder", "type"]]
    for path in paths:
        for number, junk in enumerate(JUNK):
            files = {"tokenizer.json": replaced(tokenizer, path, junk)}
            yield Case(f"exchange/tokenizer-{'-'.join(map(str, path))}-{number}", changed(base, files), [ENCODE, IMPORT])
    for number, map_ in enumerate(("", "A", "AAAA", "BAAAAP////8=", "BAAAAAAAAAA=", "/" * 4000)):
        files = {"tokenizer.json": replaced(tokenizer, ["normalizer"], {"type": "Precompiled", "precompiled_charsmap": map_})}
        yield Case(f"exchange/map-{number}", changed(base, files), [ENCODE])
    for seed in range(seeds):
        generator = random.Random(seed)
        for name in ("model.safetensors", "config.json", "tokenizer.json"):
            made = flipped((MODEL / name).read_bytes(), generator, generator.choice((1, 5)))
            yield Case(f"exchange/flips-{name}-{seed}", changed(base, {name: made}), [ENCODE, IMPORT])
