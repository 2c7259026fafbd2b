"""Train the judges over the trained encoders: `... bench.reader.judges JUDGED.npz TRAINED OUT`.

The encoders stay as they are, so that recall does not change. A branch goes off below their last
layers: it runs those again with small matrices beside their own, and gives each piece a row of
notes. Three networks read the notes: one says of a sentence how likely a careful person would
remember it and which relation it is about, one of each stretch of a message how likely it is
somebody else's text, one of something known and a sentence how likely that ends it. Three minutes
on one GPU.
"""

from __future__ import annotations

import argparse
import copy
import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F

from bench.reader.bases import trained_arrays
from bench.reader.model import TOKEN, Encoder, Layer, encoder_from

SCRIPTS = ("latin", "han")  # of inputs.py, which a machine for training need not have
BRANCH = 3  # layers that the branch runs again
RANK = 16  # of the matrices beside theirs
NOTES = 96  # numbers of a piece
MATRICES = ("q", "k", "v", "o", "up", "down")
_RELATIONS, _TIMES = 46, 4  # of data.py
_MIDDLE, _TOLD, _SEEN = 96, 64, 32
_EPOCHS = 10
_HIDDEN = 0.1  # of the pieces, so that no single word decides
_MASK, _MARKS = 103, 110  # the piece that hides another; those below the second are marks
_VOICES, _ENDINGS = 2.5, 3.0  # of the loss, beside that of sentences
_WINDOWS = 48  # of a batch
_RATE, _BRANCH_RATE, _WARM = 1.5e-3, 1e-3, 0.08
SCALE = 2.0  # of what they add
_SENTENCES = 2  # the source of single messages, which counts for more
_LEVELS = (0.3, 0.4, 0.5, 0.6, 0.7)
device = "cuda" if torch.cuda.is_available() else "cpu"


class Beside(nn.Module):
    """A matrix of the encoder, with a small one that learns beside it."""

    def __init__(self, frozen: nn.Linear) -> None:
        super().__init__()
        self.frozen = frozen
        self.narrow = nn.Linear(frozen.in_features, RANK, bias=False)
        self.wide = nn.Linear(RANK, frozen.out_features, bias=False)
        nn.init.normal_(self.narrow.weight, std=1 / math.sqrt(frozen.in_features))
        nn.init.zeros_(self.wide.weight)

    def forward(self, x: Tensor) -> Tensor:
        return self.frozen(x) + SCALE * self.wide(self.narrow(x))


def _branch_of(layer: Layer) -> Layer:
    branch = copy.deepcopy(layer).requires_grad_(False)
    for name in MATRICES:
        setattr(branch, name, Beside(getattr(branch, name)))
    for norm in (branch.n1, branch.n2):
        norm.requires_grad_(True)
    return branch


class Voices(nn.Module):
    """What `VoiceHead` of the package computes, by the same names."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.told = nn.Linear(width, _TOLD)
        self.asks, self.answers = nn.Linear(_TOLD, _SEEN), nn.Linear(_TOLD, _SEEN)
        self.says = nn.Linear(_TOLD, _TOLD)
        self.middle = nn.Linear(6 * _TOLD, _TOLD)
        self.foreign = nn.Linear(_TOLD, 1)

    def forward(self, rows: Tensor, mask: Tensor) -> Tensor:
        told = F.relu(self.told(F.dropout(rows, 0.2, self.training))) * mask[..., None]
        likeness = self.asks(told) @ self.answers(told).transpose(1, 2)
        seen = likeness.masked_fill(mask[:, None] == 0, -1e4).softmax(-1) @ self.says(told)
        nothing = torch.zeros_like(told[:, :1])
        before = torch.cat([nothing, told[:, :-1]], 1)
        after = torch.cat([told[:, 1:], nothing], 1)
        last = told[torch.arange(len(told), device=device), mask.sum(1).long() - 1][:, None]
        ends = told[:, :1].expand_as(told), last.expand_as(told)
        joined = torch.cat([told, seen, before, after, *ends], -1)
        middle = F.relu(self.middle(F.dropout(joined, 0.3, self.training)))
        likely: Tensor = self.foreign(F.dropout(middle, 0.2, self.training))[..., 0]
        return likely


class Judged(NamedTuple):
    """What is said of sentences: worth keeping, tempting, the relation, of somebody else."""

    keep: Tensor
    trap: Tensor
    relation: Tensor
    subject: Tensor


class Judges(nn.Module):
    """The branch and the networks; `SentenceHead` computes `judge_sentences` by the same names."""

    def __init__(self, encoder: Encoder, layout: int) -> None:
        super().__init__()
        self.encoder = encoder.requires_grad_(False).eval()
        self.branch: Any = nn.ModuleList(map(_branch_of, encoder.layers[-BRANCH:]))
        self.notes = nn.Linear(encoder.word.weight.shape[1], NOTES)
        self.middle = nn.Linear(3 * NOTES, _MIDDLE)
        self.keep, self.trap = nn.Linear(_MIDDLE, 1), nn.Linear(_MIDDLE, 1)
        self.relation = nn.Linear(_MIDDLE, _RELATIONS)
        self.subject = nn.Linear(_MIDDLE, 2)
        self.changed = nn.Linear(5 * NOTES, _MIDDLE)
        self.ends = nn.Linear(_MIDDLE, 1)
        self.voices = Voices(2 * (NOTES + TOKEN) + layout)

    def read(self, ids: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """The notes and the token vectors of every piece."""
        encoder, wide = self.encoder, (1.0 - mask)[:, None, None, :] * -1e4
        with torch.no_grad():
            places = torch.arange(ids.shape[1], device=device)
            x = encoder.norm(encoder.word(ids) + encoder.place(places) + encoder.kind.weight[1])
            for layer in encoder.layers[:-BRANCH]:
                x = layer(x, wide, 0.0)
            y = x
            for layer in encoder.layers[-BRANCH:]:
                y = layer(y, wide, 0.0)
            tokens = F.normalize(encoder.token(y).float(), dim=-1)
        for layer in self.branch:
            x = layer(x, wide, 0.1)
        return F.relu(self.notes(F.dropout(x, 0.1, self.training))).float(), tokens

    def _join(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """Of each stretch the notes of the window's first mark, the highest and the mean of its
        own; and of those beside it the highest and the mean.
        """
        notes, _ = self.read(batch.ids, batch.mask)
        inside, own = batch.inside(), notes[batch.rows]
        mean = (own * inside).sum(1) / inside.sum(1)
        joined = torch.cat([notes[batch.rows, 0], (own * inside).amax(1), mean], 1)
        outside = batch.mask[batch.rows][..., None] - inside
        mean = (own * outside).sum(1) / outside.sum(1)
        beside = torch.cat([(own * outside).amax(1), mean], 1)
        return F.dropout(joined, 0.3, self.training), F.dropout(beside, 0.3, self.training)

    def judge_endings(self, batch: Batch) -> Tensor:
        middle = F.relu(self.changed(torch.cat(self._join(batch), 1)))
        likely: Tensor = self.ends(F.dropout(middle, 0.2, self.training))[:, 0]
        return likely

    def judge_sentences(self, batch: Batch) -> Judged:
        middle = F.relu(self.middle(self._join(batch)[0]))
        middle = F.dropout(middle, 0.2, self.training)
        heads = self.keep(middle)[:, 0], self.trap(middle)[:, 0]
        return Judged(*heads, self.relation(middle), self.subject(middle))

    def judge_voices(self, batch: Batch, layouts: Tensor, places: tuple[Tensor, Tensor]) -> Tensor:
        read = torch.cat(self.read(batch.ids, batch.mask), -1)
        inside = batch.inside()
        mean = (read[batch.rows] * inside).sum(1) / inside.sum(1).clamp(min=1)
        rows = torch.cat([read[batch.rows, 0], mean, layouts], 1)
        shape = int(places[0].max()) + 1, int(places[1].max()) + 1
        joined = torch.zeros(*shape, rows.shape[1], device=device)
        mask = torch.zeros(*shape, device=device)
        joined[places], mask[places] = rows, 1.0
        return self.voices(joined, mask)[places]


@dataclass(frozen=True)
class Batch:
    """Windows, and the stretches of them that are judged."""

    ids: Tensor
    mask: Tensor
    rows: Tensor  # the window of each stretch
    first: Tensor
    end: Tensor

    def inside(self) -> Tensor:
        pieces = torch.arange(self.ids.shape[1], device=device)[None]
        return ((pieces >= self.first[:, None]) & (pieces < self.end[:, None])).float()[..., None]


class Data:
    """The arrays of `judged.py` for one script."""

    def __init__(self, path: Path, script: int) -> None:
        with np.load(path) as stored:
            arrays = dict(stored)
        self._ids, self._starts = arrays["ids"], arrays["starts"]
        rows = arrays["sentences"]
        self.sentences = rows[(rows[:, 3] == script) & (rows[:, 6] >= 0)]
        pairs = arrays["pairs"]
        self.pairs = pairs[pairs[:, 3] == script]
        self.stretches, self.layouts = arrays["stretches"], arrays["layouts"]
        mine = np.flatnonzero(arrays["messages"][:, 0] == script)
        held = arrays["messages"][:, 1] == 1
        self.messages = {False: mine[~held[mine]], True: mine[held[mine]]}
        order = np.searchsorted(self.stretches[:, 0], np.arange(len(held) + 1))
        self._of_message = list(pairwise(order))

    def batch(
        self, windows: NDArray[Any], first: NDArray[Any], end: NDArray[Any], hidden: float = 0.0
    ) -> Batch:
        some, rows = np.unique(windows, return_inverse=True)
        length = int((self._starts[some + 1] - self._starts[some]).max())
        ids, mask = torch.zeros(len(some), length, dtype=torch.long), torch.zeros(len(some), length)
        for row, window in enumerate(some):
            pieces = self._ids[self._starts[window] : self._starts[window + 1]]
            ids[row, : len(pieces)] = torch.from_numpy(pieces.astype(np.int64))
            mask[row, : len(pieces)] = 1
        hide = (torch.rand(ids.shape) < hidden) & (ids >= _MARKS)
        ids[hide] = _MASK
        put = [torch.tensor(values, device=device) for values in (rows, first, end)]
        return Batch(ids.to(device), mask.to(device), *put)

    def sentence_batches(
        self, rows: NDArray[Any], draw: np.random.Generator | None
    ) -> Iterator[tuple[Batch, NDArray[Any]]]:
        """Rows of `sentences`, those of windows of like length together."""
        windows = np.unique(rows[:, 0])
        lengths = (self._starts[windows + 1] - self._starts[windows]).astype(float)
        if draw is not None:
            lengths += draw.normal(0, 6, len(lengths))
        ordered = windows[np.argsort(lengths)]
        parts = [ordered[at : at + _WINDOWS] for at in range(0, len(ordered), _WINDOWS)]
        if draw is not None:
            draw.shuffle(parts)
        for part in parts:
            some = rows[np.isin(rows[:, 0], part)]
            hidden = 0.0 if draw is None else _HIDDEN
            yield self.batch(some[:, 0], some[:, 1], some[:, 2], hidden), some

    def message_batch(
        self, messages: NDArray[Any], hidden: float = 0.0
    ) -> tuple[Batch, Tensor, tuple[Tensor, Tensor], Tensor]:
        spans = [self._of_message[message] for message in messages]
        rows = np.concatenate([np.arange(a, b) for a, b in spans])
        some = self.stretches[rows]
        number = np.concatenate([np.full(b - a, n) for n, (a, b) in enumerate(spans)])
        place = np.concatenate([np.arange(b - a) for a, b in spans])
        layouts = torch.tensor(self.layouts[rows].astype(np.float32), device=device)
        wanted = torch.tensor(some[:, 4].astype(np.float32), device=device)
        places = torch.tensor(number, device=device), torch.tensor(place, device=device)
        batch = self.batch(some[:, 1], some[:, 2], some[:, 3], hidden)
        return batch, layouts, places, wanted


def sentence_loss(judges: Judges, batch: Batch, rows: NDArray[Any]) -> Tensor:
    """What is to be kept, what tempts, and of the former the relation and whose."""
    judged, wanted = judges.judge_sentences(batch), torch.tensor(rows, device=device)
    weights = 1.0 + 0.5 * (wanted[:, 5] == _SENTENCES).float()

    def binary(said: Tensor, right: Tensor) -> Tensor:
        loss = F.binary_cross_entropy_with_logits(said, right * 0.94 + 0.03, reduction="none")
        return (loss * weights).mean()

    loss = binary(judged.keep, (wanted[:, 6] == 1).float())
    loss = loss + 0.3 * binary(judged.trap, (wanted[:, 7] == 1).float())
    for part, said, right in (
        (0.4, judged.relation, wanted[:, 8]),
        (0.2, judged.subject, wanted[:, 9]),
    ):
        known = right >= 0
        if known.any():
            loss = loss + part * F.cross_entropy(said[known], right[known].long())
    return loss


def _doubt(said: Tensor, wanted: Tensor) -> Tensor:
    return F.binary_cross_entropy_with_logits(said, wanted * 0.96 + 0.02)


def train(judges: Judges, data: Data, seed: int, epochs: int) -> None:
    """A batch of sentences and one of messages at a time."""
    torch.manual_seed(seed)
    draw = np.random.default_rng(seed)
    rows = data.sentences[data.sentences[:, 4] == 0]
    count = len(np.unique(rows[:, 0])) // _WINDOWS + 1
    at_once = len(data.messages[False]) // count + 1
    named = [(n, p) for n, p in judges.named_parameters() if p.requires_grad]
    branch = [p for n, p in named if n.startswith("branch")]
    heads = [p for n, p in named if not n.startswith("branch")]
    groups = [{"params": heads, "lr": _RATE}, {"params": branch, "lr": _BRANCH_RATE}]
    adam = torch.optim.AdamW(groups, weight_decay=0.02)
    steps = epochs * count
    pace = torch.optim.lr_scheduler.LambdaLR(
        adam, lambda n: min((n + 1) / (_WARM * steps), max(0.02, 1 - n / steps))
    )
    judges.train()
    judges.encoder.eval()
    for _ in range(epochs):
        order, at = draw.permutation(data.messages[False]), 0
        pairs, pair = draw.permutation(data.pairs[data.pairs[:, 4] == 0]), 0
        pairs_at_once = len(pairs) // count + 1
        for batch, some in data.sentence_batches(rows, draw):
            with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
                loss = sentence_loss(judges, batch, some)
                if len(part := order[at : at + at_once]):
                    *given, wanted = data.message_batch(part, _HIDDEN)
                    loss = loss + _VOICES * _doubt(judges.judge_voices(*given), wanted)
                if len(part := pairs[pair : pair + pairs_at_once]):
                    told = data.batch(part[:, 0], part[:, 1], part[:, 2], _HIDDEN)
                    wanted = torch.tensor(part[:, 5].astype(np.float32), device=device)
                    loss = loss + _ENDINGS * _doubt(judges.judge_endings(told), wanted)
            at, pair = at + at_once, pair + pairs_at_once
            adam.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(judges.parameters(), 1.0)
            adam.step()
            pace.step()
    judges.eval()


def _report_endings(judges: Judges, data: Data, source: int) -> None:
    pairs = data.pairs[(data.pairs[:, 4] == 1) & (data.pairs[:, 6] == source)]
    made = []
    for at in range(0, len(pairs), _WINDOWS):
        part = pairs[at : at + _WINDOWS]
        made.append(judges.judge_endings(data.batch(part[:, 0], part[:, 1], part[:, 2])).sigmoid())
    likely, ends = torch.cat(made).cpu().numpy(), pairs[:, 5] == 1
    print(f" endings, source {source}: {len(ends)} pairs, {ends.sum()} of them")
    for level in (0.5, 0.6, 0.7, 0.8, 0.9, 0.95):
        on = likely >= level
        print(
            f"  {level}: precision {ends[on].mean():.3f} recall {ends[on].sum() / ends.sum():.3f}"
            f" of those that stay {(on & ~ends).sum()} of {(~ends).sum()}"
        )


def report(judges: Judges, data: Data) -> None:
    """Precision and recall on what was held out."""
    rows = data.sentences[data.sentences[:, 4] == 1]
    for source in np.unique(rows[:, 5]):
        some = rows[rows[:, 5] == source]
        made = [
            (judges.judge_sentences(b).keep.sigmoid(), part)
            for b, part in data.sentence_batches(some, None)
        ]
        likely = torch.cat([said for said, _ in made]).cpu().numpy()
        judged = np.concatenate([part for _, part in made])
        kept, traps = judged[:, 6] == 1, judged[:, 7] == 1
        print(f" source {source}: {len(kept)} sentences, {kept.sum()} to keep")
        for level in _LEVELS:
            on = likely >= level
            print(
                f"  {level}: precision {kept[on].mean():.3f}"
                f" recall {kept[on].sum() / kept.sum():.3f}"
                f" traps {(on & traps).sum()} of {traps.sum()}"
            )
    for pairs in np.unique(data.pairs[:, 6]):
        _report_endings(judges, data, pairs)
    voices, foreign = [], []
    for at in range(0, len(data.messages[True]), _WINDOWS):
        *given, wanted = data.message_batch(data.messages[True][at : at + _WINDOWS])
        voices.append(judges.judge_voices(*given).sigmoid().cpu().numpy())
        foreign.append(wanted.cpu().numpy() == 1)
    likely, others = np.concatenate(voices), np.concatenate(foreign)
    print(f" voices: {len(others)} stretches, {others.sum()} of somebody else")
    for level in (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7):
        print(
            f"  {level}: others found {(likely[others] >= level).mean():.3f},"
            f" own taken for theirs {(likely[~others] >= level).mean():.3f}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("judged", type=Path)
    parser.add_argument("trained", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--epochs", type=int, default=_EPOCHS)
    parser.add_argument("--script", choices=SCRIPTS, help="both, unless one is named")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    for number, script in enumerate(SCRIPTS):
        if given.script not in (None, script):
            continue
        arrays = trained_arrays(given.trained, script)
        data = Data(given.judged, number)
        judges = Judges(encoder_from(arrays, _RELATIONS, _TIMES), data.layouts.shape[1]).to(device)
        train(judges, data, given.seed, given.epochs)
        print(script)
        with torch.no_grad():
            report(judges, data)
        learned = {
            name: value.half().cpu().numpy()
            for name, value in judges.state_dict().items()
            if not name.startswith("encoder.") and ".frozen." not in name
        }
        np.savez_compressed(given.out / f"{script}.judges.npz", **learned)


if __name__ == "__main__":
    main()
