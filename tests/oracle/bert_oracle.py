#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares preset bert-base, started from published weights, with Hugging Face's BertForMaskedLM.

    pip install 'transformers<5' safetensors          # beside Python's torch
    packaging/build.sh release oracle_bert
    python3 tests/oracle/bert_oracle.py --program build/release/bin/oracle_bert [--model FOLDER]

Without --model a small BertForMaskedLM of random weights is made whose special tokens lie where BERT's do ([PAD] 0, [UNK] 100,
[CLS] 101, [SEP] 102, [MASK] 103); FOLDER holds a published config.json, model.safetensors and vocab.txt. Prints the largest
differences of hidden states and logits and both losses at the masked positions; exit 1 where a difference is above 1e-5
(relative to the largest value where that is above 1).
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import torch
from safetensors.torch import load_file, save_file
from transformers import BertConfig, BertForMaskedLM

SPECIALS = {0: "[PAD]", 100: "[UNK]", 101: "[CLS]", 102: "[SEP]", 103: "[MASK]"}


def make(folder):
    torch.manual_seed(1)
    config = BertConfig(vocab_size=1000, hidden_size=64, num_hidden_layers=3, num_attention_heads=4, intermediate_size=128,
                        max_position_embeddings=48, initializer_range=0.1)
    model = BertForMaskedLM(config)
    for name, parameter in model.named_parameters():
        if name.endswith("bias"):
            torch.nn.init.normal_(parameter, std=0.1)
    model.save_pretrained(folder, safe_serialization=True)
    words = [SPECIALS.get(line, f"w{line}") for line in range(config.vocab_size)]
    (folder / "vocab.txt").write_text("\n".join(words) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--model", type=pathlib.Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        work = pathlib.Path(temporary)
        folder = arguments.model or work
        if not arguments.model:
            make(folder)
        model = BertForMaskedLM.from_pretrained(folder, attn_implementation="eager").eval()
        config = model.config
        words = (folder / "vocab.txt").read_text(encoding="utf-8").splitlines()
        ids = torch.randint(104, config.vocab_size, (3, 24))
        ids[:, 0], ids[:, -1] = words.index("[CLS]"), words.index("[SEP]")
        wanted = ids.clone()
        masked = torch.zeros_like(ids, dtype=torch.bool)
        masked[:, 3::5] = True
        ids[masked], ids[0, 1] = words.index("[MASK]"), words.index("[UNK]")
        types = (torch.arange(24) > 12).long().expand(3, 24).contiguous()
        with torch.no_grad():
            said = model(input_ids=ids, token_type_ids=types, output_hidden_states=True)
        save_file({"ids": ids, "types": types}, work / "ids.safetensors")
        variant = {"preset": "bert-base",
                   "dims": {"d": config.hidden_size, "f": config.intermediate_size, "heads": config.num_attention_heads,
                            "layers_enc": config.num_hidden_layers, "max_len": config.max_position_embeddings,
                            "vocab_src": config.vocab_size}}
        (work / "variant.json").write_text(json.dumps(variant))
        subprocess.run([arguments.program, folder / "model.safetensors", folder / "vocab.txt", work / "variant.json",
                        work / "ids.safetensors", work / "out.safetensors"], check=True)
        ours = load_file(work / "out.safetensors")
        fails = False
        for name, theirs in (("hidden", said.hidden_states[-1]), ("logits", said.logits)):
            difference = (ours[name] - theirs).abs().max().item() / max(1.0, theirs.abs().max().item())
            fails |= not difference <= 1e-5
            print(f"{name}: largest difference {difference:.2e}")
        losses = [torch.nn.functional.cross_entropy(x[masked], wanted[masked]).item() for x in (ours["logits"], said.logits)]
        print(f"loss at the masked positions: Heddle {losses[0]:.6f}, transformers {losses[1]:.6f}")
        sys.exit(1 if fails else 0)


if __name__ == "__main__":
    main()
