"""The reader's encoder in PyTorch: two bases, one space of vectors.

A text is read by the encoder of its script. Both project into the same space, so that a question
in one language finds a turn in the other.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

TOKEN = 64  # numbers of a token vector
POOLED = 128  # numbers of the vector of a whole passage


@dataclass(frozen=True)
class Shape:
    """The size of a base."""

    words: int
    width: int
    heads: int
    inner: int
    layers: int
    places: int


class Layer(nn.Module):
    """One layer of a BERT encoder."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.heads = shape.heads
        self.q, self.k, self.v, self.o = (nn.Linear(shape.width, shape.width) for _ in range(4))
        self.up, self.down = (
            nn.Linear(shape.width, shape.inner),
            nn.Linear(shape.inner, shape.width),
        )
        self.n1, self.n2 = (nn.LayerNorm(shape.width, eps=1e-12) for _ in range(2))

    def forward(self, x: Tensor, mask: Tensor, drop: float) -> Tensor:
        rows, length, width = x.shape

        def split(values: Tensor) -> Tensor:
            return values.view(rows, length, self.heads, width // self.heads).transpose(1, 2)

        seen = F.scaled_dot_product_attention(
            split(self.q(x)), split(self.k(x)), split(self.v(x)), attn_mask=mask
        )
        joined = self.o(seen.transpose(1, 2).reshape(rows, length, width))
        x = self.n1(x + F.dropout(joined, drop, self.training))
        return self.n2(x + F.dropout(self.down(F.gelu(self.up(x))), drop, self.training))


class Encoder(nn.Module):
    """A base with the projections and heads of the reader."""

    def __init__(self, shape: Shape, relations: int, times: int, drop: float = 0.1) -> None:
        super().__init__()
        self.word = nn.Embedding(shape.words, shape.width)
        self.place = nn.Embedding(shape.places, shape.width)
        self.kind = nn.Embedding(2, shape.width)
        self.norm = nn.LayerNorm(shape.width, eps=1e-12)
        self.layers = nn.ModuleList(Layer(shape) for _ in range(shape.layers))
        self.drop = drop
        self.token = nn.Linear(shape.width, TOKEN, bias=False)
        self.pool = nn.Linear(shape.width, POOLED, bias=False)
        self.weigh = nn.Linear(shape.width, 1)
        # Heads: is a piece (the begin of) a value, of which relation, whose, and when.
        self.tag = nn.Linear(shape.width, 3)
        self.relation = nn.Linear(shape.width, relations)
        self.subject = nn.Linear(shape.width, 2)
        self.time = nn.Linear(shape.width, times)
        self.trap = nn.Linear(shape.width, 1)
        self.voice = nn.Linear(shape.width, 2)  # own words, or somebody else's text
        for layer in (self.token, self.pool):
            nn.init.normal_(layer.weight, std=1 / math.sqrt(shape.width))
        nn.init.zeros_(self.weigh.weight)
        nn.init.zeros_(self.weigh.bias)

    def hidden(self, ids: Tensor, mask: Tensor, kind: int) -> Tensor:
        """``kind`` is 0 for a question and 1 for a turn."""
        places = torch.arange(ids.shape[1], device=ids.device)
        x = self.word(ids) + self.place(places)[None] + self.kind.weight[kind]
        x = F.dropout(self.norm(x), self.drop, self.training)
        wide = (1.0 - mask.to(x.dtype))[:, None, None, :] * -1e4
        for layer in self.layers:
            x = layer(x, wide, self.drop)
        return x

    def vectors(self, x: Tensor, own: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Unit token vectors, their weights, and the unit vector of the whole."""
        weights = F.softplus(self.weigh(x).float()[..., 0] + 0.5).masked_fill(~own, 0.0)
        whole = (self.pool(x).float() * weights[..., None]).sum(1)
        return F.normalize(self.token(x).float(), dim=-1), weights, F.normalize(whole, dim=-1)


def shape_of(arrays: Mapping[str, Any]) -> Shape:
    """The size of a base, from its arrays."""
    words, width = arrays["word.weight"].shape
    layers = 1 + max(int(n.split(".")[1]) for n in arrays if n.startswith("layers."))
    inner = arrays["layers.0.up.weight"].shape[0]
    heads = 12 if width == 384 else 8
    return Shape(words, width, heads, inner, layers, arrays["place.weight"].shape[0])


def encoder_from(arrays: Mapping[str, Any], relations: int, times: int) -> Encoder:
    """An encoder that begins as its base, or as one that was trained before."""
    model = Encoder(shape_of(arrays), relations, times)
    _, unknown = model.load_state_dict(
        {name: torch.tensor(value) for name, value in arrays.items()}, strict=False
    )
    if unknown:
        raise ValueError(f"the base has unknown arrays: {unknown}")
    return model


def max_similarity(question: Tensor, weights: Tensor, turns: Tensor, own: Tensor) -> Tensor:
    """Questions ``B×Q×d`` against turns ``B×N×L×d``: the weighted mean over the pieces of a
    question of the best likeness that a piece of the turn has.
    """
    likeness = torch.einsum("bqd,bnld->bnql", question, turns)
    best = likeness.masked_fill(~own[:, :, None, :], -1e4).amax(-1)
    return (best * weights[:, None]).sum(-1) / weights.sum(-1)[:, None]
