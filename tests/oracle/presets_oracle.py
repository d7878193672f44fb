#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the parameter counts of today's presets with those of transformers' models of the published configurations.

    venv/bin/pip install transformers==4.57.3 torch==2.11.0
    venv/bin/python tests/oracle/presets_oracle.py [--heddle build/release/bin/heddle]

No weights are made. The numbers of each configuration are those of the publisher's config.json.
"""
import argparse
import json
import subprocess
import sys

import torch
import transformers as tf

PRESETS = {
    "llama": (  # meta-llama/Llama-3.2-1B
        tf.LlamaForCausalLM,
        tf.LlamaConfig(
            vocab_size=128256,
            hidden_size=2048,
            intermediate_size=8192,
            num_hidden_layers=16,
            num_attention_heads=32,
            num_key_value_heads=8,
            head_dim=64,
            tie_word_embeddings=True,
        ),
    ),
    "olmo2": (  # allenai/OLMo-2-0425-1B
        tf.Olmo2ForCausalLM,
        tf.Olmo2Config(
            vocab_size=100352,
            hidden_size=2048,
            intermediate_size=8192,
            num_hidden_layers=16,
            num_attention_heads=16,
            num_key_value_heads=16,
            tie_word_embeddings=False,
        ),
    ),
    "qwen3": (  # Qwen/Qwen3-0.6B
        tf.Qwen3ForCausalLM,
        tf.Qwen3Config(
            vocab_size=151936,
            hidden_size=1024,
            intermediate_size=3072,
            num_hidden_layers=28,
            num_attention_heads=16,
            num_key_value_heads=8,
            head_dim=128,
            tie_word_embeddings=True,
        ),
    ),
    "modernbert": (  # answerdotai/ModernBERT-base
        tf.ModernBertForMaskedLM,
        tf.ModernBertConfig(
            vocab_size=50368,
            hidden_size=768,
            intermediate_size=1152,
            num_hidden_layers=22,
            num_attention_heads=12,
            decoder_bias=True,
            tie_word_embeddings=True,
        ),
    ),
}


def count(program, preset):
    printed = subprocess.run([program, "variants", "count", preset, "--json"], capture_output=True, text=True, check=True)
    return json.loads(printed.stdout)["parameters"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--heddle", default="build/release/bin/heddle")
    options = parser.parse_args()
    differ = 0
    for preset, (model, config) in PRESETS.items():
        with torch.device("meta"):
            theirs = model(config).num_parameters()
        ours = count(options.heddle, preset)
        differ += ours != theirs
        print(f"{preset:12} {ours:>13,} transformers {theirs:>13,} {'equal' if ours == theirs else 'NOT EQUAL'}")
    return differ > 0


sys.exit(main())
