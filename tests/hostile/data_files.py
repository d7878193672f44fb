# SPDX-License-Identifier: Apache-2.0
"""Data files that a stranger made."""
import gzip
import json
import os
import random
import struct
import zlib

from corpus import Case, HOSTILE_TEXT, WORDS, flipped, spec, write

TEXT = ("\n".join(WORDS) + "\n").encode()


def packed(head, tail, word, size):
    """A gzip file of so many bytes of repeated words between `head` and `tail`."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    block = word * ((1 << 20) // len(word))
    return (packer.compress(head) + b"".join(packer.compress(block) for _ in range(size >> 20)) + packer.compress(tail)
            + packer.flush())


def texts():
    yield "empty", b""
    yield "nul", TEXT.replace(b"sees", b"s\0es", 1)
    yield "line-ends", TEXT.replace(b"\n", b"\r\n")
    yield "mac-line-ends", TEXT.replace(b"\n", b"\r")
    yield "mark", b"\xef\xbb\xbf" + TEXT
    yield "utf16", TEXT.decode().encode("utf-16")
    yield "no-utf8", TEXT.replace(b"sees", b"s\xff\xfees", 1)
    yield "overlong", TEXT.replace(b"sees", b"s\xc0\x80es", 1)
    yield "controls", TEXT.replace(b"sees", HOSTILE_TEXT.replace("\r", "").encode())
    yield "long-line", b"y" * 50_000_000
    yield "long-words", b"y " * 10_000_000
    yield "no-lines", b"\n" * 1_000_000
    yield "fewer-lines", TEXT[:200]
    yield "bomb-line", packed(b"", b"", b"y", 1 << 30)
    yield "bomb-lines", gzip.compress(b"a b c .\n" * 20_000_000)
    yield "gzip-cut", gzip.compress(TEXT)[:-20]
    yield "gzip-checksum", gzip.compress(TEXT)[:-8] + b"\0" * 8
    yield "gzip-twice", gzip.compress(TEXT) + gzip.compress(TEXT)
    yield "gzip-junk", gzip.compress(TEXT) + b"junk"
    yield "gzip-header", b"\x1f\x8b\x08\xff" + b"\xff" * 100


def formats():
    """Files of other formats: format, name, contents."""
    table = b"sentence\tlabel\n" + b"".join(line.encode() + b"\t1\n" for line in WORDS)
    yield "glue/sst2", "columns.tsv", table.replace(b"\t1", b"\t1\t2\t3", 1)
    yield "glue/sst2", "label.tsv", table.replace(b"\t1", b"\t" + HOSTILE_TEXT.replace("\r", "").replace("\n", "").encode(), 1)
    yield "tsv", "label.tsv", b"x\x1b[31m\ta b c\ny\xc2\x9b\ta c\n" * 20
    yield "snli", "deep.jsonl", b'{"a":' * 100_000
    yield "snli", "types.jsonl", b'{"gold_label":3,"sentence1":[],"sentence2":{}}\n' * 10
    yield "squad", "types.json", b'{"data":[{"paragraphs":[{"context":3,"qas":[{"answers":{}}]}]}]}'
    yield "squad", "bomb-values.json.gz", gzip.compress(b'{"data":[' + b"{}," * 20_000_000 + b"{}]}")
    yield "squad", "bomb-context.json.gz", packed(b'{"data":[{"paragraphs":[{"context":"', b'","qas":[]}]}]}', b"y ", 1 << 29)
    yield "squad", "deep.json", b"[" * 1_000_000
    yield "squad", "positions.json", json.dumps({"version": "1.1", "data": [{"title": "t", "paragraphs": [{
        "context": "ana", "qas": [{"id": "1", "question": "q", "answers": [{"text": "x", "answer_start": 2**62}]}]}]}]}).encode()
    yield "conll", "columns.txt", b"-DOCSTART- -X- O O\n\nana NNP B-NP B-\x1b[31m\nsees\n\n"
    yield "sgm", "open.sgm", b"<refset><doc><seg id='1'>" * 100_000
    yield "clue/tnews", "label.json", b'{"label":"\\u001b[31m","sentence":"a"}\n' * 5
    for name, head in (("product", struct.pack(">IIII", 0x803, 2**31, 2**31, 2**31)), ("cut", struct.pack(">IIII", 0x803, 10, 28, 28)),
                       ("none", struct.pack(">IIII", 0x803, 0, 0, 0)), ("dims", struct.pack(">I", 0x8FF) + b"\xff" * 1020)):
        yield "idx", f"{name}.idx3-ubyte", head + b"\0" * 100
    yield "vectors", "count.vec", b"999999999 999999999\na 1 2 3\n"
    yield "vectors", "rows.vec", b"2 3\na 1 2\nb 1 2 3 4\n"
    yield "vectors", "nan.vec", b"2 3\na nan inf -inf\nb 1e999 0x10 \x1b[31m\n"
    yield "vectors", "binary.bin", b"3 4\nab " + b"\xff" * 5


def special(kind):
    def make(path):
        path.unlink(missing_ok=True)
        {"fifo": os.mkfifo, "folder": lambda p: p.mkdir(), "loop": lambda p: p.symlink_to(p.name),
         "device": lambda p: p.symlink_to("/dev/zero"), "hole": hole}[kind](path)
    return make


def hole(path):
    with open(path, "wb") as file:
        file.truncate(1 << 33)


def cases(base, seeds):
    def tried(name, data):
        def change(folder):
            if callable(data):
                data(folder / "x.txt")
            else:
                write(folder / "x.txt", data)
            write(folder / "s.json", json.dumps(spec(data__train={"source": "x.txt", "target": "train.tgt"})))
        return Case(f"data/{name}", base.copied(change),
                    [["data", "inspect", "x.txt"], ["data", "inspect", "x.txt", "train.tgt", "--json"],
                     ["tokenizer", "train", "x.txt", "--min-count", "1", "--out", "out/t.json"],
                     ["train", "s.json", "--steps", "1", "--db", "out/n.heddle"]])
    for name, data in texts():
        yield tried(name, data)
    for kind in ("fifo", "folder", "loop", "device", "hole"):
        yield tried(kind, special(kind))
    for seed in range(seeds):
        generator = random.Random(seed)
        yield tried(f"flips-{seed}", flipped(TEXT, generator, 2))
        yield tried(f"gzip-flips-{seed}", flipped(gzip.compress(TEXT), generator, 2))
    for kind, name, data in formats():
        def change(folder, name=name, data=data):
            write(folder / name, data)
        yield Case(f"data/{kind.replace('/', '-')}-{name}", base.copied(change),
                   [["data", "inspect", name], ["data", "inspect", name, "--format", kind, "--json"],
                    ["data", "inspect", name, "--format", kind, "--skip-bad-lines"]])
