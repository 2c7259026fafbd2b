"""What the reader is trained for, and the pass over both scripts that its figures share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from bench.reader.batches import BATCH, GROUP, SCRIPTS, Batch, Labeled, Rows
from bench.reader.model import Encoder, max_similarity

device = "cuda" if torch.cuda.is_available() else "cpu"
_EASY, _POOLED = 0.3, 0.5  # weights of the parts of the loss
_FAR = -1e4


class Reader(nn.Module):
    """Both encoders, and how sharp their scores are."""

    def __init__(self, encoders: dict[str, Encoder]) -> None:
        super().__init__()
        self.encoders: Any = nn.ModuleDict(encoders)
        self.sharpness = nn.Parameter(torch.tensor(3.0))
        self.pooled_sharpness = nn.Parameter(torch.tensor(3.0))


class Vectors(NamedTuple):
    """What was read of rows, in the order of the batch, filled up to one length."""

    tokens: Tensor
    weights: Tensor
    own: Tensor
    wholes: Tensor


def put(values: Any) -> Tensor:
    """Values on the device."""
    return torch.as_tensor(values).to(device, non_blocking=True)


def read_rows(reader: Reader, groups: Sequence[Rows], kind: int) -> Vectors:
    """Each row by the encoder of its script."""
    longest = max(group.ids.shape[1] for group in groups)
    parts: list[tuple[Tensor, ...]] = []
    for group in groups:
        encoder, own = reader.encoders[SCRIPTS[group.script]], put(group.own)
        with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
            hidden = encoder.hidden(put(group.ids), put(group.mask), kind)
            tokens, weights, wholes = encoder.vectors(hidden, own)
        more = longest - tokens.shape[1]
        parts.append(
            (
                F.pad(tokens, (0, 0, 0, more)),
                F.pad(weights, (0, more)),
                F.pad(own, (0, more)),
                wholes,
            )
        )
    order = put(np.argsort([place for group in groups for place in group.places]))
    return Vectors(*(torch.cat(column)[order] for column in zip(*parts, strict=True)))


def recall_loss(reader: Reader, batch: Batch) -> Tensor:
    """Each question against a turn that answers it and others of its memory, token by token and by
    pooled vectors; the answers of the other questions are easy negatives.
    """
    asked = read_rows(reader, batch.questions, kind=0)
    turns = read_rows(reader, batch.turns, kind=1)
    length = turns.tokens.shape[1]
    tokens = turns.tokens.view(BATCH, GROUP, length, -1)
    own = turns.own.view(BATCH, GROUP, length)
    wholes = turns.wholes.view(BATCH, GROUP, -1)
    first = torch.zeros(BATCH, dtype=torch.long, device=device)
    diagonal = torch.arange(BATCH, device=device)
    # Turns of one memory may answer each other's questions.
    banks = put(batch.banks)
    same = (banks[:, None] == banks[None]) & ~torch.eye(BATCH, dtype=torch.bool, device=device)
    sharp, sharp_pooled = reader.sharpness.exp(), reader.pooled_sharpness.exp()
    hard = max_similarity(asked.tokens, asked.weights, tokens, own) * sharp
    easy = torch.einsum("bqd,cld->bcql", asked.tokens, tokens[:, 0])
    easy = easy.masked_fill(~own[:, 0][None, :, None, :], _FAR).amax(-1)
    easy = (easy * asked.weights[:, None]).sum(-1) / asked.weights.sum(-1)[:, None] * sharp
    hard_pooled = torch.einsum("bd,bnd->bn", asked.wholes, wholes) * sharp_pooled
    easy_pooled = asked.wholes @ wholes[:, 0].T * sharp_pooled
    loss = F.cross_entropy(hard, first) + _POOLED * F.cross_entropy(hard_pooled, first)
    for scores in (easy, easy_pooled):
        loss = loss + _EASY * F.cross_entropy(scores.masked_fill(same, _FAR), diagonal)
    return loss


def label_loss(reader: Reader, groups: Sequence[Labeled]) -> Tensor:
    """The heads over turns with labels: values, their relation, whose and when; traps; voices."""
    total = torch.zeros((), device=device)
    count = sum(len(group.known) for group in groups)
    for group in groups:
        encoder, rows = reader.encoders[SCRIPTS[group.rows.script]], group.rows
        tags, relations, subjects, times, voices = map(put, group.labels)
        own, known = put(rows.own), put(group.known)
        with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
            x = encoder.hidden(put(rows.ids), put(rows.mask), 1)
            heads = [
                head(x).float()
                for head in (encoder.tag, encoder.relation, encoder.subject, encoder.time)
            ]
            trap, voice = encoder.trap(x[:, 0]).float()[:, 0], encoder.voice(x).float()
        read = own & known[:, None]
        inside = read & (tags > 0)
        weights = torch.tensor([1.0, 2.0, 2.0], device=device)
        loss = _mean(heads[0], tags, read, weights)
        for part, head, wanted in zip(
            (0.5, 0.2, 0.2), heads[1:], (relations, subjects, times), strict=True
        ):
            loss = loss + part * _mean(head, wanted - 1, inside)
        loss = loss + 0.5 * _mean(voice, voices - 1, own & (voices > 0))
        missed = F.binary_cross_entropy_with_logits(trap, put(group.trap), reduction="none")
        loss = loss + 0.3 * (missed * known).mean()
        total = total + loss * len(group.known) / count
    return total


def _mean(said: Tensor, wanted: Tensor, where: Tensor, weights: Tensor | None = None) -> Tensor:
    """The mean over some places, of which there may be none."""
    loss = F.cross_entropy(said[where], wanted[where], weight=weights, reduction="sum")
    mass = where.sum() if weights is None else weights[wanted[where]].sum()
    return loss / (mass + 1)
