#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares Heddle's WordPiece with Hugging Face's BertTokenizer, slow (Python) and fast (Rust), line by line.

    pip install 'transformers<5' tokenizers
    python3 tests/oracle/wordpiece_oracle.py --program build/release/bin/heddle --text FILE[.gz]... [--vocab vocab.txt]
        [--lines 10000] [--random 2000]

Takes --lines lines evenly from the texts (plain, .gz, .tsv; "sentence" of .json lines), adds --random lines of random Unicode,
and compares the ids of vocab.txt, uncased and cased. Without --vocab one is trained on the texts with Hugging Face's trainer.
Exit 1 where Heddle differs from slow. Lines in which fast differs from slow are counted (cased text that is not composed,
characters of no or of a new meaning); there are none in ordinary text.
"""
import argparse
import os
import pathlib
import random
import subprocess
import sys
import tempfile

os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
from tokenizers import BertWordPieceTokenizer  # noqa: E402
from transformers import BertTokenizer, BertTokenizerFast  # noqa: E402

from tokenizer_lines import evenly, random_words, read_lines, without_breaks  # noqa: E402


def random_line(rng):
    words = random_words(rng, 0, ["[MASK]", "a[SEP]b", "[unk]", "[UNK]", "[CLS", "[[PAD]]"])
    return without_breaks(rng.choice(["", " "]).join(words) if rng.random() < 0.2 else " ".join(words))


def heddle_ids(program, vocab, lower, lines):
    command = [program, "tokenizer", "encode", "--tokenizer", vocab, "--publisher-ids"] + (["--lower"] if lower else [])
    output = subprocess.run(command, input="".join(line + "\n" for line in lines).encode(), stdout=subprocess.PIPE, check=True).stdout
    return [[int(x) for x in row.split()] for row in output.decode().split("\n")[:-1]]


def compare(options, vocab, lower, lines):
    slow, fast = (kind(vocab, do_lower_case=lower) for kind in (BertTokenizer, BertTokenizerFast))
    ours = heddle_ids(options.program, vocab, lower, lines)
    assert len(ours) == len(lines), f"{len(ours)} answers for {len(lines)} lines"
    wrong = tokens = unknown = apart = 0
    for line, mine in zip(lines, ours):
        theirs, rust = (t.convert_tokens_to_ids(t.tokenize(line)) for t in (slow, fast))
        tokens += len(mine)
        unknown += mine.count(slow.unk_token_id)
        apart += theirs != rust
        if mine != theirs:
            wrong += 1
            if wrong <= 5:
                print(f"DIFFERENT {line!r}", f"  heddle {slow.convert_ids_to_tokens(mine)}",
                      f"  slow   {slow.convert_ids_to_tokens(theirs)}", sep="\n")
    print(f"{'uncased' if lower else 'cased'}: {len(lines)} lines, {tokens} tokens, {100 * unknown / tokens:.2f} % unknown: {wrong} "
          f"lines differ from slow; fast differs from slow in {apart}")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--text", nargs="+", required=True)
    parser.add_argument("--vocab", help="a vocab.txt; without it one is trained for each case")
    parser.add_argument("--lines", type=int, default=10000)
    parser.add_argument("--random", type=int, default=2000)
    parser.add_argument("--size", type=int, default=12000, help="entries of the trained vocabulary")
    options = parser.parse_args()

    texts = [read_lines(path) for path in options.text]
    lines = evenly(texts, options.lines)
    rng = random.Random(1)
    odd = [random_line(rng) for _ in range(options.random)]
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for lower in (True, False):
            vocab = options.vocab
            if not vocab:
                trainer = BertWordPieceTokenizer(lowercase=lower)
                trainer.train_from_iterator((line for text in texts for line in text), vocab_size=options.size,
                                            limit_alphabet=4000, show_progress=False)
                vocab = str(pathlib.Path(trainer.save_model(folder, "lower" if lower else "keep")[0]))
            wrong += compare(options, vocab, lower, lines)
            if odd:
                wrong += compare(options, vocab, lower, odd)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
