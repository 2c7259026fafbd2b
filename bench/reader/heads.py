"""Train what tells a sentence worth keeping: `python -m bench.reader.heads TRAINED TALKS OUT`.

The encoders stay as they are, so that recall does not change. A small network over what they make
of each piece says of every sentence of a user how likely a careful person would remember it, and
which relation it is about. On two cores some ten minutes, nearly all of them for the reading, which
`--cache` keeps.
"""

from __future__ import annotations

import argparse
import pickle
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn import functional as F

from bench.reader.data import RELATIONS, TIMES, is_held_out, read_talks, talk_labels
from bench.reader.export import trained_arrays
from bench.reader.model import Encoder, encoder_from
from mnemic.language.extract.languages import built_in
from mnemic.language.extract.sentences import Places, Splitter
from mnemic.providers.reader.inputs import SCRIPTS, Cutter, PieceWindow, Script, TurnText, script_of

NOTES = 64  # numbers of a piece
_MIDDLE = 96
_AT_ONCE = 32
_BATCH = 64
_EPOCHS = 8
_RATE = 2e-3
_LEVELS = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8)


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence of a user: the states of its window's first mark and of its own pieces."""

    talk: str
    text: str
    script: Script
    states: NDArray[np.float16]
    relation: int  # -1 where there is nothing to keep
    trap: bool


class Head(nn.Module):
    """Over the pieces of a sentence: their highest and mean notes, and those of the window."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.notes = nn.Linear(width, NOTES)
        self.middle = nn.Linear(3 * NOTES, _MIDDLE)
        self.keep = nn.Linear(_MIDDLE, 1)
        self.relation = nn.Linear(_MIDDLE, len(RELATIONS))

    def forward(self, states: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        notes = F.relu(self.notes(F.dropout(states, 0.1, self.training)))
        own, inside = notes[:, 1:], mask[:, 1:, None]
        mean = (own * inside).sum(1) / inside.sum(1)
        joined = torch.cat([notes[:, 0], (own * inside).amax(1), mean], 1)
        middle = F.relu(self.middle(F.dropout(joined, 0.3, self.training)))
        middle = F.dropout(middle, 0.2, self.training)
        return self.keep(middle)[:, 0], self.relation(middle)


def read_sentences(trained: Path, talks: Path, tokenizers: Path) -> list[Said]:
    """Every sentence of the users, as the trained encoders see it."""
    read: list[Said] = []
    for script, turns in _turns(talks, tokenizers).items():
        arrays = trained_arrays(trained, script)
        encoder = encoder_from(arrays, len(RELATIONS), len(TIMES)).eval()
        for at in range(0, len(turns), _AT_ONCE):
            part = turns[at : at + _AT_ONCE]
            for turn, states in zip(part, _states(encoder, [w for _, w in part]), strict=True):
                read += _said(script, *turn, states)
    return read


def _turns(talks: Path, tokenizers: Path) -> dict[Script, list[tuple[dict[str, Any], PieceWindow]]]:
    cutters = {s: Cutter(Tokenizer.from_file(str(tokenizers / f"{s}.json")), s) for s in SCRIPTS}
    turns: dict[Script, list[tuple[dict[str, Any], PieceWindow]]] = {s: [] for s in SCRIPTS}
    for talk in read_talks([talks]):
        labels = talk_labels(talk)
        traps = {trap["turn"] for trap in talk["traps"]}
        for session in talk["sessions"]:
            before, day = "", date.fromisoformat(session["at"][:10])
            for n, turn in enumerate(session["turns"]):
                place, text = f"{session['id']}#{n}", turn["text"]
                if turn["role"] == "user":
                    script = script_of(text)
                    known = {"talk": talk["id"], "text": text, "labels": labels.get(place, [])}
                    known["trap"] = place in traps
                    for window in cutters[script].windows(TurnText(text, "user", day, before)):
                        turns[script].append((known, window))
                before = f"{turn['role']}: {text}"
    return turns


def _states(encoder: Encoder, windows: Sequence[PieceWindow]) -> Iterator[Tensor]:
    length = max(len(window.ids) for window in windows)
    ids = torch.zeros(len(windows), length, dtype=torch.long)
    mask = torch.zeros(len(windows), length)
    for row, window in enumerate(windows):
        ids[row, : len(window.ids)] = torch.tensor(window.ids)
        mask[row, : len(window.ids)] = 1
    with torch.no_grad():
        hidden = encoder.hidden(ids, mask, 1)
    yield from hidden


def _said(
    script: Script, known: dict[str, Any], window: PieceWindow, states: Tensor
) -> Iterator[Said]:
    """The sentences that a window has pieces of."""
    first = len(window.ids) - 1 - len(window.offsets)
    for start, end in sentence_places(known["text"]):
        own = [n for n, (a, b) in enumerate(window.offsets) if a < end and b > start]
        if not own:
            continue
        labels = [label for label in known["labels"] if start <= label.start < end]
        rows = states[[0, *(first + n for n in own)]]
        relation = RELATIONS.index(labels[0].relation) if labels else -1
        yield Said(
            known["talk"],
            known["text"][start:end],
            script,
            rows.half().numpy(),
            relation,
            known["trap"] and not labels,
        )


_SPLITTER = Splitter(built_in().phrases)


def sentence_places(text: str) -> Iterator[tuple[int, int]]:
    """Where the sentences of a message lie that the engine reads."""
    places = Places(text)
    for sentence in _SPLITTER.sentences(text):
        place = places.find(sentence.text)
        if place:
            yield place


def _batch(some: Sequence[Said]) -> tuple[Tensor, Tensor]:
    length = max(len(one.states) for one in some)
    states = torch.zeros(len(some), length, some[0].states.shape[1])
    mask = torch.zeros(len(some), length)
    for row, one in enumerate(some):
        states[row, : len(one.states)] = torch.from_numpy(one.states.astype(np.float32))
        mask[row, : len(one.states)] = 1
    return states, mask


def train(some: Sequence[Said]) -> Head:
    """One network over the sentences of a script."""
    torch.manual_seed(0)
    head = Head(some[0].states.shape[1])
    steps = _EPOCHS * (len(some) // _BATCH)
    adam = torch.optim.AdamW(head.parameters(), _RATE / 2, weight_decay=0.02)
    pace = torch.optim.lr_scheduler.OneCycleLR(adam, _RATE, total_steps=steps + 1)
    draw = np.random.default_rng(0)
    for _ in range(_EPOCHS):
        order = draw.permutation(len(some))
        for at in range(0, len(some) - _BATCH + 1, _BATCH):
            part = [some[n] for n in order[at : at + _BATCH]]
            keep, relations = head(*_batch(part))
            wanted = torch.tensor([one.relation for one in part])
            kept = wanted >= 0
            loss = F.binary_cross_entropy_with_logits(keep, kept.float())
            if kept.any():
                loss = loss + 0.5 * F.cross_entropy(relations[kept], wanted[kept])
            adam.zero_grad()
            loss.backward()
            adam.step()
            pace.step()
    return head.eval()


def report(head: Head, some: Sequence[Said]) -> None:
    """Precision and recall of the labels at some levels, on sentences that were kept apart."""
    likely, right = [], 0
    with torch.no_grad():
        for at in range(0, len(some), _BATCH):
            part = some[at : at + _BATCH]
            keep, relations = head(*_batch(part))
            likely += torch.sigmoid(keep).tolist()
            said = zip(part, relations.argmax(1).tolist(), strict=True)
            right += sum(one.relation == relation for one, relation in said)
    kept = np.array([one.relation >= 0 for one in some])
    traps = np.array([one.trap for one in some])
    print(f"{len(some)} sentences, {kept.sum()} labeled, relation {right / kept.sum():.3f}")
    for level in _LEVELS:
        on = np.array(likely) >= level
        print(
            f"  {level}: precision {kept[on].mean():.3f} recall {kept[on].sum() / kept.sum():.3f}"
            f" traps {(on & traps).sum()} of {traps.sum()}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("trained", type=Path)
    parser.add_argument("talks", type=Path)
    parser.add_argument("out", type=Path, help="a folder with the tokenizers")
    parser.add_argument("--cache", type=Path, help="a file that keeps what was read")
    given = parser.parse_args()
    if given.cache and given.cache.exists():
        said: list[Said] = pickle.loads(given.cache.read_bytes())
    else:
        said = read_sentences(given.trained, given.talks, given.out)
        if given.cache:
            given.cache.write_bytes(pickle.dumps(said))
    for script in SCRIPTS:
        mine = [one for one in said if one.script == script]
        head = train([one for one in mine if not is_held_out(one.talk)])
        print(script, end=" ")
        report(head, [one for one in mine if is_held_out(one.talk)])
        arrays = {name: value.half().numpy() for name, value in head.state_dict().items()}
        np.savez_compressed(given.out / f"{script}.npz", relations=np.array(RELATIONS), **arrays)


if __name__ == "__main__":
    main()
