#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares imported and exported BERTs and GPT-2s with Hugging Face's transformers.

    pip install transformers==4.57.3 tokenizers==0.22.1 safetensors==0.7.0     # beside Python's torch 2.11
    packaging/build.sh release engine_test heddle
    python3 tests/oracle/exchange_oracle.py --test build/release/bin/engine_test --program build/release/bin/heddle
        [--cases tests/unit/engine/exchange/cases]

Makes small random models of every class that Heddle reads (tied and not, sharded, in float32, float16 and bfloat16), saves them with
save_pretrained() beside a tokenizer, and runs the test Exchange.* on these folders: hidden states and logits must agree to 1e-5 of the
largest value. Then imports each with `heddle weights import`, exports it with --format, opens the folder with from_pretrained() and
compares the outputs of both, the weights of float32 bit by bit, and the ids of the tokenizers. Exit 1 at a difference. --cases writes
three of the folders, which the quick test reads.
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
import torch  # noqa: E402
from safetensors.torch import load_file, save_file  # noqa: E402
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers  # noqa: E402
from transformers import (AutoTokenizer, BertConfig, BertForMaskedLM, BertForPreTraining,  # noqa: E402
                          BertForSequenceClassification, BertModel, GPT2Config, GPT2LMHeadModel, GPT2Model, PreTrainedTokenizerFast)

CLASSES = {c.__name__: c for c in (BertForMaskedLM, BertForPreTraining, BertForSequenceClassification, BertModel, GPT2LMHeadModel, GPT2Model)}
WORDS = ["[PAD]", "the", "[UNK]", "man", "##s", "[CLS]", "[SEP]", "[MASK]", "sleep", "##ing", ",", "."] + [f"w{i}" for i in range(28)]


def bert_tokenizer():
    tokenizer = Tokenizer(models.WordPiece({w: i for i, w in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="[UNK]", pad_token="[PAD]", cls_token="[CLS]",
                                   sep_token="[SEP]", mask_token="[MASK]")


def gpt2_tokenizer():
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocab = {c: i for i, c in enumerate(letters)}
    merges = [("t", "h"), ("th", "e"), ("\u0120", "the"), ("a", "n"), ("\u0120", "m")]
    for a, b in merges:
        vocab[a + b] = len(vocab)
    tokenizer = Tokenizer(models.BPE(vocab, merges))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<|endoftext|>", bos_token="<|endoftext|>")


def make(folder, name, seed, dtype=torch.float32, shard=None, **options):
    torch.manual_seed(seed)
    is_bert = name.startswith("Bert")
    tokenizer = bert_tokenizer() if is_bert else gpt2_tokenizer()
    if is_bert:
        config = BertConfig(vocab_size=len(tokenizer), hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=24,
                            max_position_embeddings=20, initializer_range=0.2, **options)
    else:
        config = GPT2Config(vocab_size=len(tokenizer), n_embd=16, n_layer=2, n_head=2, n_positions=20, initializer_range=0.2,
                            bos_token_id=len(tokenizer) - 1, eos_token_id=len(tokenizer) - 1, **options)
    model = CLASSES[name](config).eval()
    for parameter in model.parameters():
        if parameter.dim() == 1:
            torch.nn.init.normal_(parameter, mean=0.1, std=0.2)
    model = model.to(dtype)
    model.save_pretrained(folder, safe_serialization=True, **({"max_shard_size": shard} if shard else {}))
    tokenizer.save_pretrained(folder)
    model = CLASSES[name].from_pretrained(folder, torch_dtype=torch.float32, attn_implementation="eager").eval()  # what the file says
    save_file(said(model, name, len(tokenizer)), folder / "said.safetensors")
    return model


def inputs(name, words):
    generator = torch.Generator().manual_seed(5)
    ids = torch.randint(1, words, (3, 11), generator=generator)  # without [PAD], which Heddle never attends to
    types = (torch.arange(11) > 5).long().expand(3, 11).contiguous()
    return ids, types


def said(model, name, words):
    ids, types = inputs(name, words)
    with torch.no_grad():
        is_bert = name.startswith("Bert")
        out = model(input_ids=ids, output_hidden_states=True, **({"token_type_ids": types} if is_bert else {}))
    tensors = {"ids": ids, "types": types, "hidden": out.hidden_states[-1].contiguous()}
    logits = getattr(out, "logits", getattr(out, "prediction_logits", None))
    if logits is not None:
        tensors["logits"] = logits.contiguous()
    return tensors


def back(program, folder, name, is_exact):
    """Imports, exports and opens again; the number of differences."""
    work = folder.parent / (folder.name + "-back")
    work.mkdir()
    database = ["--db", str(work / "runs.heddle")]
    subprocess.run([program, *database, "weights", "import", str(folder), "--name", "m"], check=True, stdout=subprocess.DEVNULL)
    form = "bert" if name.startswith("Bert") else "gpt2"
    subprocess.run([program, *database, "weights", "export", "m", str(work / "out"), "--format", form], check=True, stdout=subprocess.DEVNULL)
    kind = {"BertForPreTraining": "BertForMaskedLM", "GPT2Model": "GPT2LMHeadModel", "BertModel": "BertForMaskedLM"}.get(name, name)
    model = CLASSES[kind].from_pretrained(work / "out", attn_implementation="eager").eval()
    assert json.loads((work / "out" / "config.json").read_text())["architectures"] == [kind]
    given, ours = load_file(folder / "said.safetensors"), said(model, kind, model.config.vocab_size)
    wrong = 0
    for key in given:
        if key in ours and given[key].is_floating_point():
            wrong += not (ours[key] - given[key]).abs().max() <= 1e-5 * max(1, given[key].abs().max())
    if is_exact:
        bare = lambda state: {k.removeprefix("bert.").removeprefix("transformer."): v for k, v in state.items()}  # noqa: E731
        before, after = bare(CLASSES[name].from_pretrained(folder).state_dict()), bare(model.state_dict())
        shared = [k for k in before if k in after]
        assert len(shared) > 20
        wrong += sum(not torch.equal(before[k], after[k]) for k in shared)
    text = "The mans sleeping, w1. <|endoftext|>"
    wrong += AutoTokenizer.from_pretrained(work / "out")(text).input_ids != AutoTokenizer.from_pretrained(folder)(text).input_ids
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--test")
    parser.add_argument("--program")
    parser.add_argument("--cases", type=pathlib.Path)
    options = parser.parse_args()
    plans = [("BertForMaskedLM", {}), ("BertForMaskedLM", {"tie_word_embeddings": False}), ("BertForMaskedLM", {"hidden_act": "gelu_new"}),
             ("BertForMaskedLM", {"shard": "5KB"}), ("BertForMaskedLM", {"dtype": torch.float16}), ("BertForMaskedLM", {"dtype": torch.bfloat16}),
             ("BertForPreTraining", {}), ("BertModel", {}), ("BertForSequenceClassification", {"num_labels": 3}),
             ("GPT2LMHeadModel", {}), ("GPT2LMHeadModel", {"n_inner": 40, "activation_function": "relu"}),
             ("GPT2LMHeadModel", {"tie_word_embeddings": False}), ("GPT2LMHeadModel", {"shard": "5KB", "dtype": torch.bfloat16}),
             ("GPT2LMHeadModel", {"dtype": torch.float16}), ("GPT2Model", {})]
    wrong = 0
    with tempfile.TemporaryDirectory() as temporary:
        root = pathlib.Path(temporary) / "models"
        for number, (name, choices) in enumerate(plans):
            folder = root / f"{number:02d}-{name}"
            make(folder, name, number + 1, **choices)
        if options.cases:
            for number, kind in ((0, "bert"), (9, "gpt2"), (8, "bert-classes")):
                [source] = root.glob(f"{number:02d}-*")
                target = options.cases / kind
                shutil.rmtree(target, ignore_errors=True)
                target.mkdir(parents=True)
                for file in ("config.json", "model.safetensors", "tokenizer.json", "said.safetensors"):
                    shutil.copy(source / file, target / file)
        if options.test:
            done = subprocess.run([options.test, "--gtest_filter=*/Exchange.*"], env={**os.environ, "HEDDLE_EXCHANGE_CASES": str(root)},
                                  stdout=subprocess.PIPE, text=True)
            passes = done.returncode == 0 and f"{2 * len(plans)} tests" in done.stdout
            print(f"{2 * len(plans)} tests of outputs, there and back: passed" if passes else done.stdout)
            wrong += not passes
        for number, (name, choices) in enumerate(plans):
            if not options.program:
                print("skipped: --program names no heddle, so nothing is exported")
                break
            [folder] = root.glob(f"{number:02d}-{name}")
            found = back(options.program, folder, name, choices.get("dtype", torch.float32) == torch.float32)
            print(f"{name} {choices}: there and back, {found} differences", flush=True)
            wrong += found
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
