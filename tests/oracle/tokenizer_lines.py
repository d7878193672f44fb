# SPDX-License-Identifier: Apache-2.0
"""Lines of text for the oracles of tokenizers: from files, and of random Unicode."""
import gzip
import json


def read_lines(path):
    """The lines that are not blank, of plain text or .gz; of .json lines their "sentence"."""
    opened = gzip.open(path, "rt", encoding="utf-8", newline="\n") if path.endswith(".gz") else open(
        path, encoding="utf-8", newline="\n")
    with opened as file:
        lines = [line.rstrip("\n").rstrip("\r") for line in file]
    if path.endswith(".json"):
        lines = [json.loads(line)["sentence"] for line in lines]
    return [line for line in lines if line.strip()]


def evenly(texts, count):
    """About `count` lines, the same number from each text, evenly spaced."""
    share = count // len(texts)
    return [text[i * len(text) // min(share, len(text))] for text in texts for i in range(min(share, len(text)))]


def random_words(rng, first_control, tokens):
    """Words of random Unicode, control characters from `first_control` on, with some of `tokens` between them."""
    ranges = [(33, 126)] * 6 + [(0xA1, 0x24F), (0x300, 0x36F), (0x370, 0x52F), (0x5D0, 0x6FF), (0x900, 0x97F), (0x1100, 0x11FF),
              (0x1E00, 0x214F), (0x2190, 0x22FF), (0x3000, 0x30FF), (0x4E00, 0x9FA5), (0xAC00, 0xD7A3), (0xF900, 0xFA6D),
              (0xFF01, 0xFFEE), (0x1F300, 0x1F64F), (0x20000, 0x2A6D6), (first_control, 31), (0x80, 0xA0), (0x2000, 0x206F)]
    words = []
    for _ in range(rng.randrange(1, 12)):
        low, high = rng.choice(ranges)
        words.append("".join(chr(rng.randrange(low, high + 1)) for _ in range(rng.randrange(1, 130 if rng.random() < 0.02 else 8))))
        if rng.random() < 0.05:
            words.append(rng.choice(tokens))
    return words


def without_breaks(line):
    return line.replace("\n", " ").replace("\r", " ")
