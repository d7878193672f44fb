#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes sentence pairs in AFQMC's form out of TNEWS, for machines that do not have AFQMC.

    tests/bench/afqmc_stand_in.py TNEWS_FOLDER OUT_FOLDER [--seed N]

Writes train.json (34,334 pairs) and dev.json (4,316), AFQMC's sizes and share of equal pairs (31 %). An equal pair is a title and
the same title edited: characters left out, two parts exchanged, punctuation gone. An unequal pair is two titles of one class that
share characters, the second one edited likewise. What is measured on them compares variants with each other, and never with a
published AFQMC figure.
"""
import argparse
import collections
import json
import pathlib
import random
import re

SIZES = {"train": 34334, "dev": 4316}
EQUAL = 0.31
CANDIDATES = 40  # titles of the class among which the most similar one becomes the other half of an unequal pair
MOST_CHARACTERS = 28


def edited(text, draw):
    """The same text as another person would type it."""
    text = re.sub(r"[，。？！：、“”\"']", "", text)
    characters = [c for c in text if draw.random() > 0.12]
    if len(characters) > 8 and draw.random() < 0.5:
        cut = draw.randrange(3, len(characters) - 3)
        characters = characters[cut:] + characters[:cut]
    return "".join(characters)


def nearest(text, titles, draw):
    """Of some titles the one that shares most characters with `text`."""
    own = set(text)
    return max(draw.sample(titles, min(CANDIDATES, len(titles))), key=lambda other: (other != text) * len(own & set(other)))


def pairs(titles, count, draw):
    by_class = collections.defaultdict(list)
    for label, text in titles:
        by_class[label].append(text)
    for _ in range(count):
        label, text = draw.choice(titles)
        equal = draw.random() < EQUAL
        other = edited(text if equal else nearest(text, by_class[label], draw), draw)
        yield {"sentence1": text, "sentence2": other, "label": "1" if equal else "0"}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tnews", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    for split, count in SIZES.items():
        with open(options.tnews / f"{split}.json", encoding="utf-8") as lines:
            read = [json.loads(line) for line in lines]
        titles = [(row["label"], row["sentence"][:MOST_CHARACTERS]) for row in read if len(row["sentence"]) >= 8]
        draw = random.Random(f"{options.seed} {split}")
        with open(options.out / f"{split}.json", "w", encoding="utf-8") as out:
            for pair in pairs(titles, count, draw):
                out.write(json.dumps(pair, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
