#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Steps a second of PyTorch's DistributedDataParallel over Gloo on this machine: ddp.py PROCESSES. An encoder and a decoder of the
sizes of run.py's scaling table, one thread a process, 64 pairs of 16 words a step in all."""
import os
import statistics
import sys
import time

import torch
from torch import distributed, multiprocessing, nn

STEPS, BATCH, WORDS, VOCABULARY = 60, 64, 16, 200


class Translator(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(VOCABULARY, 128)
        self.body = nn.Transformer(128, 2, 2, 2, 512, batch_first=True)
        self.head = nn.Linear(128, VOCABULARY)

    def forward(self, source, target):
        return self.head(self.body(self.embed(source), self.embed(target)))


def work(rank, size):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29517")
    torch.set_num_threads(1)
    torch.manual_seed(1)
    distributed.init_process_group("gloo", rank=rank, world_size=size)
    model = nn.parallel.DistributedDataParallel(Translator())
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    parts = 2 // size  # a step is two micro-batches, as in run.py
    seconds = []
    for _ in range(STEPS):
        began = time.perf_counter()
        for part in range(parts):
            words = torch.randint(0, VOCABULARY, (2, BATCH // 2, WORDS))
            last = part + 1 == parts
            with torch.enable_grad() if last else model.no_sync():
                loss = nn.functional.cross_entropy(model(words[0], words[1]).flatten(0, 1), words[1].flatten())
                loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1)
        optimizer.step()
        optimizer.zero_grad()
        seconds.append(time.perf_counter() - began)
    if rank == 0:
        print(f"PyTorch's DDP, translation: {1 / statistics.median(seconds[10:]):.1f} steps/s in {size} process(es)")
    distributed.destroy_process_group()


if __name__ == "__main__":
    multiprocessing.spawn(work, args=(int(sys.argv[1]),), nprocs=int(sys.argv[1]))
