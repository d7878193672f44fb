#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains the recipe resources/multi30k/transformer-tiny.json in plain PyTorch, as far as its start matters, without Heddle.

    venv/bin/pip install torch==2.11.0 sentencepiece==0.2.1
    venv/bin/python tests/oracle/recipe_oracle.py --data FOLDER [--start torch|xavier|fairseq] [--steps 580]

FOLDER has train.lc.norm.tok.{en,de}.gz and val.lc.norm.tok.{en,de}.gz of Multi30K. Prints the loss on the valid split, nats a token
without label smoothing, every 580 steps (five epochs): compare it with `loss` of Heddle's evaluations of the same recipe. Batches
are cut as fairseq does (up to 4,096 tokens of either side, padding included) and not in Heddle's order, so the two agree to about
0.05. 580 steps take ten to twenty minutes on two cores.

The start is the question that this program answers. Embeddings are N(0, 1/d) in all three. `torch`: every map as nn.Linear;
`xavier`: every map Xavier uniform; `fairseq`: queries, keys and values Xavier with gain 1/√2, the output of attention Xavier with
bias 0, the rest as nn.Linear (fairseq's MultiheadAttention and TransformerEncoderLayer).
"""
import argparse
import gzip
import math
import os
import pathlib
import random
import tempfile

import sentencepiece
import torch
from torch import nn
from torch.nn import functional as F

WIDTH, INNER, HEADS, LAYERS, DROPOUT = 128, 256, 4, 4, 0.3
TOKENS, RATE, WARMUP, SMOOTHING = 4096, 0.005, 2000, 0.1
FIRST, LAST, PAD = 1, 2, 3
SHOWN_EVERY = 580


class Attention(nn.Module):
    def __init__(self, start):
        super().__init__()
        self.query, self.key, self.value, self.out = (nn.Linear(WIDTH, WIDTH) for _ in range(4))
        if start == "torch":
            return
        for linear in (self.query, self.key, self.value):
            nn.init.xavier_uniform_(linear.weight, gain=2**-0.5 if start == "fairseq" else 1)
        nn.init.xavier_uniform_(self.out.weight)
        if start == "fairseq":
            nn.init.zeros_(self.out.bias)

    def forward(self, x, memory, mask):
        def split(y):
            return y.view(y.shape[0], y.shape[1], HEADS, WIDTH // HEADS).transpose(1, 2)

        query, key, value = split(self.query(x)), split(self.key(memory)), split(self.value(memory))
        y = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
        return self.out(y.transpose(1, 2).reshape(x.shape))


class Layer(nn.Module):
    def __init__(self, start, crosses):
        super().__init__()
        self.attention = Attention(start)
        self.cross = Attention(start) if crosses else None
        self.inner, self.outer = nn.Linear(WIDTH, INNER), nn.Linear(INNER, WIDTH)
        self.norms = nn.ModuleList(nn.LayerNorm(WIDTH) for _ in range(3 if crosses else 2))
        if start == "xavier":
            nn.init.xavier_uniform_(self.inner.weight)
            nn.init.xavier_uniform_(self.outer.weight)

    def forward(self, x, mask, memory=None, memory_mask=None):
        def drop(y):
            return F.dropout(y, DROPOUT, self.training)

        x = self.norms[0](x + drop(self.attention(x, x, mask)))
        if self.cross is not None:
            x = self.norms[1](x + drop(self.cross(x, memory, memory_mask)))
        return self.norms[-1](x + drop(self.outer(F.relu(self.inner(x)))))


class Translator(nn.Module):
    def __init__(self, start, words):
        super().__init__()
        self.table = nn.Embedding(words, WIDTH)
        nn.init.normal_(self.table.weight, 0, WIDTH**-0.5)
        self.encoder = nn.ModuleList(Layer(start, False) for _ in range(LAYERS))
        self.decoder = nn.ModuleList(Layer(start, True) for _ in range(LAYERS))
        angles = torch.arange(256)[:, None] * torch.exp(torch.arange(0, WIDTH, 2) * (-math.log(10000) / WIDTH))
        self.register_buffer("positions", torch.stack([angles.sin(), angles.cos()], -1).view(256, WIDTH))

    def embed(self, ids):
        return F.dropout(self.table(ids) * math.sqrt(WIDTH) + self.positions[: ids.shape[1]], DROPOUT, self.training)

    def forward(self, source, target):
        seen = (source != PAD)[:, None, None, :]
        memory, x = self.embed(source), self.embed(target)
        for layer in self.encoder:
            memory = layer(memory, seen)
        causal = torch.ones(target.shape[1], target.shape[1], dtype=torch.bool).tril()[None, None]
        for layer in self.decoder:
            x = layer(x, causal, memory, seen)
        return x @ self.table.weight.t()


def lines(folder, name):
    return gzip.open(folder / f"{name}.gz", "rt", encoding="utf-8").read().split("\n")[:-1]


def pairs_of(folder, split):
    return list(zip(*(lines(folder, f"{split}.lc.norm.tok.{language}") for language in ("en", "de")), strict=True))


def vocabulary(pairs):
    with tempfile.TemporaryDirectory() as folder:
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter([text for pair in pairs for text in pair]),
            model_prefix=f"{folder}/bpe",
            vocab_size=10000,
            model_type="bpe",
            character_coverage=1.0,
            pad_id=PAD,
            minloglevel=2,
        )
        return sentencepiece.SentencePieceProcessor(model_file=f"{folder}/bpe.model")


def length(pair):
    return max(len(pair[0]), len(pair[1]) - 1)


def batches(pairs):
    made = [[]]
    for pair in sorted(pairs, key=lambda one: (length(one), random.random())):
        if made[-1] and length(pair) * (len(made[-1]) + 1) > TOKENS:
            made.append([])
        made[-1].append(pair)
    return made


def padded(texts):
    longest = max(map(len, texts))
    return torch.tensor([text + [PAD] * (longest - len(text)) for text in texts])


def loss_of(model, batch, smoothing, reduction):
    source, target = (padded([pair[side] for pair in batch]) for side in (0, 1))
    labels = target[:, 1:].flatten()
    logits = model(source, target[:, :-1]).flatten(0, 1)
    loss = F.cross_entropy(logits, labels, ignore_index=PAD, label_smoothing=smoothing, reduction=reduction)
    return loss, int((labels != PAD).sum())


@torch.no_grad()
def valid_loss(model, pairs):
    model.eval()
    sums = [loss_of(model, batch, 0, "sum") for batch in batches(pairs)]
    model.train()
    return sum(loss.item() for loss, _ in sums) / sum(count for _, count in sums)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--start", choices=["torch", "xavier", "fairseq"], default="torch")
    parser.add_argument("--steps", type=int, default=580)
    asked = parser.parse_args()
    torch.set_num_threads(len(os.sched_getaffinity(0)))
    torch.manual_seed(1)
    random.seed(1)
    texts = pairs_of(asked.data, "train")
    pieces = vocabulary(texts)

    def encoded(pairs):
        return [(pieces.encode(source) + [LAST], [FIRST] + pieces.encode(target) + [LAST]) for source, target in pairs]

    train, valid = encoded(texts), encoded(pairs_of(asked.data, "val"))
    model = Translator(asked.start, pieces.vocab_size())
    print(f"{sum(weight.numel() for weight in model.parameters()):,} parameters, start {asked.start}", flush=True)
    optimizer = torch.optim.Adam(model.parameters(), lr=0, betas=(0.9, 0.98))
    step = 0
    while step < asked.steps:
        epoch = batches(train)
        random.shuffle(epoch)
        for batch in epoch[: asked.steps - step]:
            step += 1
            for group in optimizer.param_groups:
                group["lr"] = RATE * min(step / WARMUP, math.sqrt(WARMUP / step))
            optimizer.zero_grad(set_to_none=True)
            loss_of(model, batch, SMOOTHING, "mean")[0].backward()
            optimizer.step()
            if step % SHOWN_EVERY == 0 or step == asked.steps:
                print(f"step {step}: loss {valid_loss(model, valid):.4f}", flush=True)


if __name__ == "__main__":
    main()
