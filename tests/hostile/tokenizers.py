# SPDX-License-Identifier: Apache-2.0
"""Tokenizer files that a stranger made."""
import json
import random
import struct

from corpus import BIDI, Case, ESCAPE, HOSTILE_TEXT, flipped, spec, write


def varint(number):
    text = b""
    while number > 127:
        text += bytes([number & 127 | 128])
        number >>= 7
    return text + bytes([number])


def field(number, data):
    """A length-delimited field of a protocol buffer."""
    return varint(number << 3 | 2) + varint(len(data)) + data


def piece(text, score=0.0, kind=1):
    return field(1, field(1, text if isinstance(text, bytes) else text.encode()) + b"\x15" + struct.pack("<f", score)
                 + b"\x18" + varint(kind))


SPECIALS = piece("<unk>", kind=2) + piece("<pad>", kind=3) + piece("<sos>", kind=3) + piece("<eos>", kind=3)


def models(honest):
    yield "empty", b""
    yield "specials-only", SPECIALS
    yield "no-unknown", piece("a") + piece("b")
    yield "two-unknown", SPECIALS + piece("<unk2>", kind=2)
    yield "empty-piece", SPECIALS + piece("")
    yield "twice", SPECIALS + piece("a") + piece("a")
    yield "controls", SPECIALS + piece(HOSTILE_TEXT) + piece("\u2581ana" + ESCAPE) + piece("\n")
    yield "no-utf8", SPECIALS + piece(b"\xff\xfe\xc0\x80")
    yield "giant-piece", SPECIALS + piece("y" * 20_000_000)
    yield "many-pieces", SPECIALS + b"".join(piece(f"p{i}") for i in range(300_000))
    yield "nan-score", SPECIALS + piece("ana", float("nan")) + piece("a", float("inf")) + piece("n", float("-inf"))
    yield "unknown-kind", SPECIALS + piece("a", kind=77)
    yield "length-beyond", honest[:-20] + b"\x0a\xff\xff\xff\xff\x7f"
    yield "long-varint", b"\x0a" + b"\xff" * 40
    yield "zero-field", b"\x02\x01a" + honest
    yield "normalizer", honest + field(3, field(2, b"\x08\x00\x00\x00" + b"\xff" * 64))
    yield "normalizer-size", honest + field(3, field(2, b"\xff\xff\xff\x7f" + b"\0" * 8))
    yield "trainer", honest + field(2, b"\x18" + varint(2**63))
    yield "self-test", honest + field(4, field(1, field(1, b"a") + field(2, b"b")))
    for cut in (1, 5, 50, len(honest) // 2, len(honest) - 1):
        yield f"cut-{cut}", honest[:cut]


def lists(honest):
    def one(**change):
        return json.dumps({**honest, **change}, ensure_ascii=False).encode()
    words = honest["words"]
    yield "empty", one(words=[])
    yield "twice", one(words=words + words)
    yield "specials", one(words=["<unk>", "<pad>", "<sos>", "<eos>", *words])
    yield "empty-word", one(words=["", *words])
    yield "controls", one(words=[HOSTILE_TEXT, "ana" + ESCAPE, BIDI, "a\nb", *words])
    yield "giant-word", one(words=["y" * 20_000_000, *words])
    yield "numbers", one(words=[1, 2, 3])
    yield "no-list", one(words={"a": 1})
    yield "million", one(words=[f"w{i}" for i in range(1_000_000)])
    yield "split", one(split=HOSTILE_TEXT)
    yield "count", one(min_count=-2**63)
    yield "lower", one(lower="yes")
    yield "schema", one(schema="heddle.words/99")
    yield "wordpiece", one(schema="heddle.wordpiece/1")
    yield "characters", one(schema="heddle.characters/1")
    yield "deep", b'{"schema":' + b"[" * 100000
    yield "key-twice", b'{"schema":"heddle.words/1","schema":"heddle.words/1"}'
    yield "no-utf8", b'{"schema":"heddle.words/1","words":["\xff\xfe"]}'
    yield "surrogate", b'{"schema":"heddle.words/1","words":["\\ud800"],"split":"whitespace","lower":false,"min_count":1}'


def vocabularies():
    head = b"[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n"
    yield "twice", head + b"ana\nana\n[UNK]\n"
    yield "empty-lines", head + b"\n\n\nana\n"
    yield "only-unknown", b"[UNK]"
    yield "controls", head + HOSTILE_TEXT.replace("\r", "").encode() + b"\nana\x1b[31m\n"
    yield "no-utf8", head + b"\xff\xfe\nana\n"
    yield "nul", head + b"a\0b\n"
    yield "line-ends", head.replace(b"\n", b"\r\n") + b"ana\r\n"
    yield "giant-line", head + b"y" * 20_000_000 + b"\n"
    yield "million", head + b"\n".join(b"w%d" % i for i in range(1_000_000))
    yield "continuations", head + b"##\n##a\n####\n"


def cases(base, seeds):
    honest = (base.folder / "pieces.model").read_bytes()
    words = json.loads((base.folder / "words.json").read_text())
    def files():
        yield from ((f"model-{name}", data, "sentencepiece", "t.model") for name, data in models(honest))
        yield from ((f"list-{name}", data, "words", "t.json") for name, data in lists(words))
        yield from ((f"vocabulary-{name}", data, "wordpiece", "vocab.txt") for name, data in vocabularies())
        for seed in range(seeds):
            generator = random.Random(seed)
            yield f"model-flips-{seed}", flipped(honest, generator, generator.choice((1, 4, 40))), "sentencepiece", "t.model"
            yield f"list-flips-{seed}", flipped(json.dumps(words).encode(), generator, 3), "words", "t.json"
    for name, data, kind, file in files():
        def change(folder, data=data, kind=kind, file=file):
            write(folder / file, data)
            key = "vocab" if kind == "wordpiece" else "file"
            write(folder / "s.json", json.dumps(spec(data__tokenizer={"kind": kind, key: file})))
            write(folder / f"t.heddle.d/{base.id}/tokenizer/source.json", data)
        is_large = "million" in name or "many" in name  # a model with so many words is nothing that fails
        yield Case(f"tokenizer/{name}", base.copied(change),
                   [["tokenizer", "encode", "--tokenizer", file, "ana sees birds ."],
                    ["tokenizer", "encode", "--tokenizer", file, "--json", "ana sees \u202e birds ."],
                    ["tokenizer", "decode", "--tokenizer", file, "4 5 6 7"],
                    ["tokenizer", "encode", "--tokenizer", file, "--stats", "--lower", "ana sees"],
                    *([] if is_large else [["train", "s.json", "--steps", "1", "--db", "out/n.heddle"]]),
                    ["translate", "--run", base.id, "ana sees birds ."], ["evaluate", "--run", base.id], ["resume", base.id]])
