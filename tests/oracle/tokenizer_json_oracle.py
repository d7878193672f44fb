#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares how Heddle reads tokenizer.json with Hugging Face's `tokenizers`, line by line.

    pip install tokenizers==0.22.1 sentencepiece==0.2.1 protobuf
    python3 tests/oracle/tokenizer_json_oracle.py --program build/release/bin/heddle --text FILE[.gz]... [--lines 10000]
        [--random 2000] [--tokenizer tokenizer.json]... [--cases tests/unit/engine/data/tokenizers/cases]

Trains on the texts what published models have: byte-level BPE as of GPT-2 and as of RoBERTa, WordPiece as of BERT (uncased, cased),
and unigram as of XLM-R, ALBERT and T5 (with SentencePiece's map nmt_nfkc), or takes the given files. Encodes --lines lines evenly
from the texts, --random lines of random Unicode and a list of awkward ones, and compares ids and decoded text; with byte-level BPE
of GPT-2 the decoded text must be the line. Exit 1 at a difference outside of the random lines; there characters whose class is not
the same in both Unicode tables may differ, and are counted. --cases writes small tokenizers, lines and ids for the quick tests.
"""
import argparse
import json
import pathlib
import random
import subprocess
import sys
import tempfile

import sentencepiece
from sentencepiece import sentencepiece_model_pb2
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

from tokenizer_lines import evenly, random_words, read_lines, without_breaks

AWKWARD = [
    "", " ", "   ", "a", " a", "a ", "  two  spaces   here  ", "\ttab\tand\u00a0no-break\u2003em\u3000wide", "don't we'll I'M they'RE it's'",
    "H\u00e9llo H\u00c9LLO e\u0301 \u212b\u1e9b\u0323 \ufb01 \u00df \u1e9e \u0130I\u0131", "Gr\u00f6\u00dfe \u00c5ngstr\u00f6m \u039f\u0394\u039f\u03a3 \u03a3",
    "1234567 3.14 \u00bd \u2167 \u0663\u0664 x\u00b2", "$5 ^_^ \u201ex\u201c\u2026 -- \u2014 !?!? (a.b) [c] {d}", "\u535a\u63a8zz \u4e2d\u6587\u5b57 \u65e5\u672c\u8a9e \uff21\uff22\uff23\u3001\u3002 \U00020000\U0002b820",
    "\U0001f600\U0001f468\u200d\U0001f469\u200d\U0001f467 \U0001f1e9\U0001f1ea \u2764\ufe0f", "a\u0001b\u200dc\ufffdd\u00ade\u200b\u2028f\u2029", "[MASK] a[SEP]b [unk] [UNK] [CLS [[PAD]] <s></s><mask> x<mask> <unk> <|endoftext|>tail",
    "\u0e2a\u0e27\u0e31\u0e2a\u0e14\u0e35 \u0939\u093f\u0928\u094d\u0926\u0940 \u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627 \uac00\u1100\u1161", "x" * 101, "\u00f6" * 100, "\u2581already \u2581\u2581 marked", "``quoted'' 'single'",
    "e\u0301\u0301\u0323x A\u030a \u0344 \u0f73 \u1100\u1161\u11a8 \u3099\u304b\u3099", "\u2126 \u2460 \u33a1 \uff76\uff9e \u00a8 \u02dc \u2003.", "do not . , ? ! ' n't 'm 's 've 're"]



def random_line(rng):
    words = random_words(rng, 1, ["[MASK]", "a[SEP]b", "<mask>", "<|endoftext|>", "</s>", "[[PAD]]"])
    return without_breaks(rng.choice(["", " ", "  "]).join(words))


def byte_level(lines, size, roberta):
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=roberta)
    tokenizer.decoder = decoders.ByteLevel()
    specials = ["<s>", "<pad>", "</s>", "<unk>"] if roberta else []
    tokenizer.train_from_iterator(lines, trainers.BpeTrainer(vocab_size=size, special_tokens=specials, show_progress=False,
                                                             initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))
    tokenizer.add_special_tokens([AddedToken("<mask>", lstrip=True, normalized=False)] if roberta else ["<|endoftext|>"])
    return tokenizer


def word_piece(lines, size, lower):
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=lower)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    tokenizer.train_from_iterator(lines, trainers.WordPieceTrainer(vocab_size=size, show_progress=False, limit_alphabet=1000,
                                                                   special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]))
    return tokenizer


# A few rules of each form, since SentencePiece's own map has 240 kB: from, to, as hexadecimal code points.
RULES = ["FF21\t41", "FF22\t42", "2126\t3A9", "212B\tC5", "A0\t20", "3000\t20", "2003\t20", "FB01\t66 69", "65 301\tE9", "1\t", "200D\t",
         "FFFD\t20", "2460\t31", "33A1\t6D 32", "2026\t2E 2E 2E", "A8\t20 308", "9\t20", "200B\t20", "1100 1161\tAC00"]


def unigram(lines, size, kind, folder, rules=None):
    text = pathlib.Path(folder) / "text"
    text.write_text("\n".join(lines), encoding="utf-8")
    normal = {"normalization_rule_name": "nmt_nfkc_cf" if kind == "albert" else "nmt_nfkc"}
    if rules:
        text.with_suffix(".tsv").write_text("\n".join(rules) + "\n")
        normal = {"normalization_rule_tsv": str(text.with_suffix(".tsv"))}
    sentencepiece.SentencePieceTrainer.train(input=str(text), model_prefix=str(text), vocab_size=size, model_type="unigram",
                                             **normal, minloglevel=2,
                                             hard_vocab_limit=False, input_sentence_size=20000, shuffle_input_sentence=False)
    proto = sentencepiece_model_pb2.ModelProto()
    proto.ParseFromString(text.with_suffix(".model").read_bytes())
    pieces = [(p.piece, p.score) for p in proto.pieces]
    tokenizer = Tokenizer(models.Unigram(pieces, unk_id=0))
    steps = [normalizers.Precompiled(proto.normalizer_spec.precompiled_charsmap), normalizers.Replace(Regex(" {2,}"), " ")]
    if kind == "albert":
        steps = [normalizers.Replace("``", '"'), normalizers.Replace("''", '"'), normalizers.NFKD(), normalizers.StripAccents(),
                 normalizers.Lowercase()] + steps
    tokenizer.normalizer = normalizers.Sequence(steps)
    space = pre_tokenizers.Metaspace(prepend_scheme="first" if kind == "xlmr" else "always")
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), space]) if kind == "t5" else space
    tokenizer.decoder = decoders.Metaspace(prepend_scheme="first" if kind == "xlmr" else "always")
    tokenizer.add_special_tokens(["<s>", "</s>", "<unk>", AddedToken("<mask>", lstrip=True)])
    return tokenizer


def trained(lines, size, folder, rules=None):
    return {"gpt2": byte_level(lines, size, False), "roberta": byte_level(lines, size, True), "bert-uncased": word_piece(lines, size, True),
            "bert-cased": word_piece(lines, size, False), **{f"unigram-{kind}": unigram(lines, size, kind, folder, rules) for kind in ("xlmr", "albert", "t5")}}


def heddle(program, arguments, lines):
    out = subprocess.run([program, "tokenizer", *arguments], input="".join(line + "\n" for line in lines).encode(),
                         stdout=subprocess.PIPE, check=True).stdout
    answers = out.decode().split("\n")[:-1]
    assert len(answers) == len(lines), f"{len(answers)} answers for {len(lines)} lines"
    return answers


def compare(program, name, file, lines):
    tokenizer = Tokenizer.from_file(str(file))
    theirs = [tokenizer.encode(line, add_special_tokens=False).ids for line in lines]
    ours = [[int(i) for i in row.split()] for row in heddle(program, ["encode", "--tokenizer", file, "--publisher-ids"], lines)]
    rows = heddle(program, ["encode", "--tokenizer", file, "--ids"], lines)
    texts = heddle(program, ["decode", "--tokenizer", file], rows)
    wrong = [i for i in range(len(lines)) if ours[i] != theirs[i]]
    specials = {token.content for token in tokenizer.get_added_tokens_decoder().values()}
    plain = [i for i in range(len(lines)) if not any(s in lines[i] for s in specials)]
    undone = [i for i in plain if texts[i] != (lines[i] if name == "gpt2" else tokenizer.decode(theirs[i], skip_special_tokens=False))]
    for i in wrong[:3]:
        print(f"  DIFFERENT {lines[i]!r}\n    heddle {[tokenizer.id_to_token(t) for t in ours[i]]}\n    theirs {[tokenizer.id_to_token(t) for t in theirs[i]]}")
    for i in [i for i in undone if i not in wrong][:3]:
        print(f"  DECODED {lines[i]!r}\n    heddle {texts[i]!r}\n    theirs {tokenizer.decode(theirs[i], skip_special_tokens=False)!r}")
    print(f"{name}: {len(lines)} lines, {sum(map(len, theirs))} tokens: {len(wrong)} differ, {len(undone)} are decoded otherwise", flush=True)
    return len(wrong) + len(undone)


def write_cases(folder, texts, temporary):
    folder = pathlib.Path(folder)
    folder.mkdir(exist_ok=True)
    for name, tokenizer in trained(texts, 400, temporary, RULES).items():
        if name == "bert-cased":
            continue
        lines = AWKWARD + texts[:40]
        document = json.loads(tokenizer.to_str())
        cases = [{"text": line, "ids": tokenizer.encode(line, add_special_tokens=False).ids} for line in lines]
        (folder / f"{name}.json").write_text(json.dumps({"program": "tokenizers 0.22.1", "tokenizer": document, "cases": cases},
                                                        ensure_ascii=True, separators=(",", ":")) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--text", nargs="+", required=True)
    parser.add_argument("--tokenizer", nargs="*", default=[])
    parser.add_argument("--lines", type=int, default=10000)
    parser.add_argument("--random", type=int, default=2000)
    parser.add_argument("--size", type=int, default=8000)
    parser.add_argument("--cases")
    options = parser.parse_args()
    texts = [read_lines(path) for path in options.text]
    lines = evenly(texts, options.lines)
    rng = random.Random(1)
    odd = [random_line(rng) for _ in range(options.random)]
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        if options.cases:
            write_cases(options.cases, lines[:: max(1, len(lines) // 300)], folder)
        files = {pathlib.Path(file).parent.name: file for file in options.tokenizer}
        if not files:
            for name, tokenizer in trained(lines, options.size, folder).items():
                files[name] = f"{folder}/{name}.json"
                tokenizer.save(files[name])
        for name, file in files.items():
            wrong += compare(options.program, name, file, AWKWARD + lines)
            compare(options.program, name + ", random lines", file, odd)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
