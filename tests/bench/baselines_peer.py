#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Today's baselines in PyTorch, as peers of the workloads W8 (CPU-sized: W8s) of resources/bench/workloads.json.

    venv/bin/pip install numpy torch==2.11.0 transformers==4.57.3
    PEERS=peers.py heddle-dev bench peers W8s-llama W8s-olmo2 --peers-script tests/bench/baselines_peer.py --python venv/bin/python

$PEERS is the script of the other peers (default: ../shared/peers/peers.py beside the checkout): options, batches, training step,
measurement and rows are its own. Here are the models alone, with the parameters of Heddle's presets:

    llama, olmo2, qwen3n, modernbert, nanogpt: Llama, OLMo 2, the gated attention of Qwen3-Next, ModernBERT, nanoGPT

Peers as there: eager (explicit softmax, one product for each projection), tuned (torch's fused attention, joint products, the head on
masked positions only, fused AdamW), compile (tuned, compiled), lib (transformers' model; there is none for qwen3n and nanogpt).
"""
import importlib.util
import os
import sys
from dataclasses import dataclass, replace

import torch
import torch.nn as nn
import torch.nn.functional as F

PEERS = os.environ.get("PEERS") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../shared/peers/peers.py")
if not os.path.isfile(PEERS):
    sys.exit(f"{PEERS} is not there: set PEERS to the path of peers.py")
spec = importlib.util.spec_from_file_location("peers", PEERS)
peers = importlib.util.module_from_spec(spec)
sys.modules["peers"] = peers
spec.loader.exec_module(peers)


@dataclass
class Baseline(peers.Work):
    """A workload: Le layers; KV heads of keys and values; E their width; V = Vs = Vt."""

    model: str = ""
    KV: int = 0
    E: int = 64


def workloads():
    made = []
    for prefix, d, heads, layers, vocabulary, rows, width in (("W8", 768, 12, 12, 50304, 8, 1024), ("W8s", 256, 4, 6, 8448, 8, 256)):
        for model in ("llama", "olmo2", "qwen3n", "modernbert", "nanogpt"):
            made.append(
                Baseline(
                    name=f"{prefix}-{model}", kind="mlm" if model == "modernbert" else "clm", d=d, f=4 * d if model == "nanogpt" else 11 * d // 4,
                    H=heads, Le=layers, Ld=0, Vs=vocabulary, Vt=vocabulary, B=rows, S=width, smooth=0.0, drop=0.0, model=model,
                    KV=heads // 2 if model in ("llama", "qwen3n") else heads, E=64,
                )
            )  # fmt: skip
    return made


class Norm(nn.Module):
    """Root mean square, or mean and variance; a weight, no bias."""

    def __init__(self, width, rms, eps):
        super().__init__()
        self.weight, self.rms, self.eps = nn.Parameter(torch.ones(width)), rms, eps

    def forward(self, x):
        shape = self.weight.shape
        return F.rms_norm(x, shape, self.weight, self.eps) if self.rms else F.layer_norm(x, shape, self.weight, None, self.eps)


def maps(tuned, d, widths):
    """Projections of one input: one product over all, or one for each."""
    return nn.ModuleList([nn.Linear(d, sum(widths), bias=False)] if tuned else [nn.Linear(d, width, bias=False) for width in widths])


def mapped(modules, widths, x):
    return modules[0](x).split(widths, -1) if len(modules) == 1 else [module(x) for module in modules]


class Rotary(nn.Module):
    def __init__(self, width, length, base, share=1.0):
        super().__init__()
        self.turned = int(width * share)
        frequencies = base ** -(torch.arange(0, self.turned, 2) / self.turned)
        angle = torch.arange(length)[:, None] * frequencies.repeat(2)
        self.register_buffer("cos", angle.cos(), persistent=False)
        self.register_buffer("sin", angle.sin(), persistent=False)

    def forward(self, x):
        x, rest = x.split([self.turned, x.shape[-1] - self.turned], -1)
        a, b = x.chunk(2, -1)
        x = x * self.cos + torch.cat([-b, a], -1) * self.sin
        return torch.cat([x.to(rest.dtype), rest], -1) if rest.shape[-1] else x


class Attention(nn.Module):
    def __init__(self, w, tuned, layer):
        super().__init__()
        self.w, self.tuned, q, kv = w, tuned, w.H * w.E, w.KV * w.E
        self.widths = [q, kv, kv] + [q] * (w.model == "qwen3n")
        self.inner, self.o = maps(tuned, w.d, self.widths), nn.Linear(q, w.d, bias=False)
        base = {"llama": 5e5, "olmo2": 5e5, "qwen3n": 1e7, "modernbert": 1e4 if layer % 3 else 1.6e5, "nanogpt": 0}[w.model]
        self.rotary = Rotary(w.E, w.S, base, 0.25 if w.model == "qwen3n" else 1.0) if base else nn.Identity()
        of_norm = {"olmo2": (q, kv), "qwen3n": (w.E, w.E)}.get(w.model, ())
        self.norms = nn.ModuleList(Norm(width, True, 1e-6) for width in of_norm)
        distance = (torch.arange(w.S)[:, None] - torch.arange(w.S)).abs()
        visible = None
        if w.model != "modernbert":
            visible = torch.ones(w.S, w.S, dtype=torch.bool).tril()
        elif layer % 3:
            visible = distance < 65
        self.register_buffer("visible", visible, persistent=False)

    def forward(self, x):
        w, heads = self.w, lambda t: t.unflatten(-1, (-1, self.w.E)).transpose(1, 2)
        q, k, v, *gate = mapped(self.inner, self.widths, x)
        if w.model == "olmo2":
            q, k = self.norms[0](q), self.norms[1](k)
        q, k, v = heads(q), heads(k), heads(v)
        if w.model == "qwen3n":
            q, k = self.norms[0](q), self.norms[1](k)
        q, k = self.rotary(q).to(v.dtype), self.rotary(k).to(v.dtype)
        if self.tuned:
            causal = w.kind == "clm"
            mask = None if causal else self.visible
            mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=causal, enable_gqa=w.KV < w.H)
        else:
            k, v = (t.repeat_interleave(w.H // w.KV, 1) for t in (k, v))
            scores = q @ k.transpose(-1, -2) * w.E**-0.5
            scores = scores if self.visible is None else scores.masked_fill(~self.visible, -torch.inf)
            mixed = scores.softmax(-1) @ v
        mixed = mixed.transpose(1, 2).flatten(2)
        return self.o(mixed * gate[0].sigmoid() if gate else mixed)


class FeedForward(nn.Module):
    def __init__(self, w, tuned):
        super().__init__()
        self.model, self.widths = w.model, [w.f] if w.model == "nanogpt" else [w.f, w.f]
        self.inner, self.down = maps(tuned, w.d, self.widths), nn.Linear(w.f, w.d, bias=False)

    def forward(self, x):
        h, *linear = mapped(self.inner, self.widths, x)
        h = F.silu(h) if self.model in ("llama", "olmo2", "qwen3n") else F.gelu(h)
        return self.down(h * linear[0] if linear else h)


def norm_of(w):
    rms = w.model in ("llama", "olmo2", "qwen3n")
    return Norm(w.d, rms, 1e-5 if w.model in ("llama", "modernbert", "nanogpt") else 1e-6)


class Layer(nn.Module):
    def __init__(self, w, tuned, layer):
        super().__init__()
        self.after = w.model == "olmo2"
        self.attention, self.ffn = Attention(w, tuned, layer), FeedForward(w, tuned)
        is_bare = w.model == "modernbert" and layer == 0  # its input is the normed embedding
        self.norms = nn.ModuleList([nn.Identity() if is_bare else norm_of(w), norm_of(w)])

    def forward(self, x):
        for part, norm in zip((self.attention, self.ffn), self.norms):
            x = x + (norm(part(x)) if self.after else part(norm(x)))
        return x


class Net(nn.Module):
    """forward(batch fields) -> loss."""

    def __init__(self, w, tuned):
        super().__init__()
        self.w, self.tuned, self.pad_weight = w, tuned, 0
        self.fields = ["ids", "labels"] if w.kind == "clm" or not tuned else ["ids", "pos", "lab"]
        self.emb = nn.Embedding(w.Vs, w.d)
        self.pos = nn.Embedding(w.S, w.d) if w.model == "nanogpt" else None
        self.first = norm_of(w) if w.model == "modernbert" else nn.Identity()
        self.layers = nn.ModuleList(Layer(w, tuned, i) for i in range(w.Le))
        self.last = norm_of(w)
        self.out = nn.Linear(w.d, w.Vt, bias=w.kind == "mlm")
        if w.kind == "mlm":
            self.dense, self.dense_norm = nn.Linear(w.d, w.d, bias=False), norm_of(w)
        for module in self.modules():
            if isinstance(module, (nn.Embedding, nn.Linear)):
                nn.init.normal_(module.weight, std=0.02)
            if isinstance(module, nn.Linear) and module.bias is not None:
                nn.init.zeros_(module.bias)
        if w.model in ("llama", "modernbert", "nanogpt"):
            self.out.weight = self.emb.weight

    def forward(self, ids, *labels):
        x = self.emb(ids) if self.pos is None else self.emb(ids) + self.pos.weight[: ids.shape[1]]
        x = self.first(x)
        for layer in self.layers:
            x = layer(x)
        x = self.last(x)
        if self.w.kind == "mlm":
            x = x.flatten(0, 1).index_select(0, labels[0]) if self.tuned else x
            x = self.dense_norm(F.gelu(self.dense(x)))
        return peers.cross_entropy(self.out(x), labels[-1], self.w.Vt, self.w)


class Library(nn.Module):
    def __init__(self, w, _):
        super().__init__()
        import transformers as tf

        self.w, self.pad_weight, self.fields = w, 0, ["ids", "labels"]
        made = {
            "llama": (tf.LlamaForCausalLM, tf.LlamaConfig, {"rope_theta": 5e5, "rms_norm_eps": 1e-5, "tie_word_embeddings": True}),
            "olmo2": (tf.Olmo2ForCausalLM, tf.Olmo2Config, {"rope_theta": 5e5, "rms_norm_eps": 1e-6, "tie_word_embeddings": False}),
            "modernbert": (tf.ModernBertForMaskedLM, tf.ModernBertConfig, {"decoder_bias": True, "tie_word_embeddings": True}),
        }
        if w.model not in made:
            raise ValueError(f"transformers has no {w.model} of this form")
        model, config, more = made[w.model]
        if w.model != "modernbert":
            more = {**more, "num_key_value_heads": w.KV}
        self.net = model(config(
            vocab_size=w.Vs, hidden_size=w.d, intermediate_size=w.f, num_hidden_layers=w.Le, num_attention_heads=w.H,
            max_position_embeddings=w.S, pad_token_id=peers.PAD, attn_implementation="sdpa", **more))  # fmt: skip

    def forward(self, ids, labels):
        return peers.cross_entropy(self.net(input_ids=ids).logits, labels, self.w.Vt, self.w)


def cost(w, batch, _):
    """(FLOPs, bytes) of one step: three times the products of the forward pass, attention dense; bytes are not modelled."""
    tokens, rows = float(batch[1].sum()), len(batch[1])
    answers = round(0.15 * tokens) if w.kind == "mlm" else tokens
    inner = w.E * (w.H * (3 if w.model == "qwen3n" else 2) + 2 * w.KV)
    products = 1 if w.model == "nanogpt" else 2
    layer = 6 * tokens * w.d * (inner + w.f * (products + 1)) + 12 * rows * w.S**2 * w.H * w.E
    head = 6 * answers * w.d * (w.Vt + (w.d if w.kind == "mlm" else 0))
    return w.Le * layer + head, 0.0


peers.workloads, peers.Net, peers.Library, peers.cost = workloads, Net, Library, cost
peers.tiny = lambda w: replace(w, d=64, f=96, H=2, KV=1 if w.KV < w.H else 2, E=32, Le=3, Vs=192, Vt=192, B=4, S=16, params=0)
peers.__file__ = os.path.abspath(__file__)  # what starts a process for each row on a GPU

if __name__ == "__main__":
    sys.exit(0 if peers.main() else 1)
