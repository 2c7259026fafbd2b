"""Train what tells a user's own words from somebody else's: `python -m bench.reader.voices --help`.

Reads messages in which somebody else's text is marked with ⟦ and ⟧, and as many more that are made
of their parts: a frame of one with the text of another, and somebody's own words put into a frame.
So what decides is how a text is presented and not what it says. The encoders stay as they are. A
fifth of the messages is held out by checksum, before anything is combined.
"""

from __future__ import annotations

import argparse
import pickle
import random
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F

from bench.reader.data import is_held_out
from mnemic.language.voice.stretches import Stretch, layout, stretches
from mnemic.providers.reader.inputs import SCRIPTS, Script, script_of
from mnemic.providers.reader.model import TrainedReader
from mnemic.providers.reader.notes import voice_rows

Floats = NDArray[np.float32]
Parts = list[tuple[str, bool]]  # a message in pieces, and whether each is somebody else's text
_MIDDLE, _SEEN = 64, 32
_MOST = 40  # stretches of a message
_LONGEST = 2_500
_BATCH = 32
_EPOCHS = 10
_RATE = 2e-3
_LEVELS = (0.5, 0.7, 0.9)
_HELD_OUT = "held out"
_SEEN_BY_ENCODERS = ("en", "zh")  # files whose marks the encoders were trained on
_STEERS = re.compile(
    r"(?i)\b(?:always|never|from now on|call me|i'm|i am|my name|please|don't|i live|i prefer)\b"
    r"|\bmust\b"
    r"|以后|不要|永远|叫我|我是|我叫|必须|别|一律|从现在起|我住|请"
)
_HEADS = {
    "latin": "My rules:|Please remember:|A few things about me:|How I want you to work:|About me|"
    "What I need from you:|Ground rules|So you know:|Here is what I want:|For this project:|"
    "My preferences:|Before we start:|Things to keep in mind when you write for me:|My setup:",
    "han": "我的规矩：|请记住：|关于我：|我希望你这样做：|我的要求：|几条规则|给你的说明："
    "|先说一下：|我想要的是：|这个项目里：|我的偏好：|开始之前：|替我写东西时注意："
    "|以后都照这个：|我的环境：",
}


@dataclass(frozen=True, slots=True)
class Marked:
    """A message, and where somebody else's text lies in it; ``source`` says how it came about."""

    text: str
    foreign: tuple[Stretch, ...]
    source: str


@dataclass(frozen=True, slots=True)
class Read:
    """The stretches of a message: what the encoder makes of each, their layout, their labels."""

    marked: Marked
    script: Script
    states: Floats
    layout: Floats
    foreign: NDArray[np.bool_]


def joined(parts: Parts, source: str) -> Marked:
    text, foreign = "", []
    for part, is_foreign in parts:
        if is_foreign and part:
            foreign.append((len(text), len(text) + len(part)))
        text += part
    return Marked(text, tuple(foreign), source)


def read_messages(path: Path) -> Iterator[Parts]:
    """Each message of a file in its parts."""
    for message in re.split(r"(?m)^---$", path.read_text(encoding="utf-8")):
        pieces = re.split("[⟦⟧]", message.strip())
        parts = [(piece, n % 2 == 1) for n, piece in enumerate(pieces) if piece]
        if parts:
            yield parts


class Combiner:
    """Makes messages of the parts of others; what is drawn depends on the seed alone."""

    def __init__(self, messages: Sequence[Parts], script: Script, seed: int) -> None:
        self._draw = random.Random(seed)
        self._frames = [parts for parts in messages if any(foreign for _, foreign in parts)]
        self._own = [parts[0][0] for parts in messages if not any(f for _, f in parts)]
        self._texts = [text for parts in self._frames for text, f in parts if f and len(text) > 12]
        sentences = (one for text in self._own for one in _sentences(text))
        self._steering = [one for one in sentences if _STEERS.search(one) and len(one) < 160]
        self._heads = _HEADS[script].split("|")
        self._space = " " if script == "latin" else ""

    def messages(self, count: int) -> Iterator[Marked]:
        """Two of three present a text, at times beside words of their own."""
        while count:
            kind = self._draw.random()
            if kind < 0.5:
                parts = self._framed()
            elif kind < 0.6:
                parts = [(self._some_own() + self._gap(), False), *self._framed()]
            elif kind < 0.65:
                parts = [*self._framed(), (self._gap() + self._draw.choice(self._steering), False)]
            else:
                parts = [(self._all_own(), False)]
            made = joined(parts, "combined")
            if len(made.text) < _LONGEST:
                count -= 1
                yield made

    def _gap(self) -> str:
        return self._draw.choice(("\n\n", "\n", self._space))

    def _some_own(self) -> str:
        return self._draw.choice((self._draw.choice(self._steering), self._draw.choice(self._own)))

    def _framed(self) -> Parts:
        """A frame with the text of another, at times with other white space before it."""
        parts: Parts = []
        for text, foreign in self._draw.choice(self._frames):
            kind = self._draw.random()
            if foreign:
                parts.append((self._presented(), True))
            elif kind < 0.1:
                parts.append((text.replace("\n", " "), False))
            elif kind < 0.3 and not parts:
                parts.append((text.rstrip() + self._draw.choice(("\n\n", "\n")), False))
            else:
                parts.append((text, False))
        return parts

    def _presented(self) -> str:
        kind = self._draw.random()
        if kind < 0.4:
            return self._draw.choice(self._texts)
        if kind < 0.6:
            return self._draw.choice(self._own)
        if kind < 0.85:
            return self._space.join(self._draw.sample(self._steering, self._draw.randint(1, 3)))
        sentences = list(_sentences(self._draw.choice(self._texts)))
        place = self._draw.randint(0, len(sentences))
        sentences.insert(place, self._draw.choice(self._steering))
        return self._draw.choice(("\n", self._space)).join(sentences)

    def _all_own(self) -> str:
        kind = self._draw.random()
        if kind < 0.25:
            return self._draw.choice(self._own) + self._gap() + self._draw.choice(self._own)
        if kind < 0.6:
            items = self._draw.sample(self._steering, self._draw.randint(2, 5))
            mark = self._draw.choice(("- ", "* ", "• ", "", "{}. "))
            lines = [mark.format(n) + item for n, item in enumerate(items, 1)]
            before = f"{self._draw.choice(self._own)}\n\n" if self._draw.random() < 0.3 else ""
            return before + "\n".join([self._draw.choice(self._heads), *lines])
        if kind < 0.7:
            head = self._draw.choice(self._heads)
            return head + self._space + self._draw.choice(self._steering)
        if kind < 0.85:
            return self._space.join(self._draw.sample(self._steering, self._draw.randint(1, 4)))
        return self._some_own() + self._gap() + self._some_own()


def _sentences(text: str) -> Iterator[str]:
    return (text[start:end] for start, end in stretches(text))


def read_states(reader: TrainedReader, messages: Iterable[Marked]) -> Iterator[Read]:
    """The messages as the encoders see them."""
    for marked in messages:
        places = stretches(marked.text)[:_MOST]
        if not places:
            continue
        foreign = np.array([_share(place, marked.foreign) >= 0.5 for place in places])
        yield Read(
            marked,
            script_of(marked.text),
            voice_rows(reader.voice_windows(marked.text), places),
            np.array(layout(marked.text, places), np.float32),
            foreign,
        )


def _share(place: Stretch, foreign: Sequence[Stretch]) -> float:
    start, end = place
    return sum(max(0, min(end, b) - max(start, a)) for a, b in foreign) / (end - start)


class Network(nn.Module):
    """What `VoiceHead` of the package computes, by the same names."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.told = nn.Linear(width, _MIDDLE)
        self.asks, self.answers = nn.Linear(_MIDDLE, _SEEN), nn.Linear(_MIDDLE, _SEEN)
        self.says = nn.Linear(_MIDDLE, _MIDDLE)
        self.middle = nn.Linear(6 * _MIDDLE, _MIDDLE)
        self.foreign = nn.Linear(_MIDDLE, 1)

    def forward(self, rows: Tensor, mask: Tensor) -> Tensor:
        told = F.relu(self.told(F.dropout(rows, 0.2, self.training))) * mask[..., None]
        likeness = self.asks(told) @ self.answers(told).transpose(1, 2)
        seen = likeness.masked_fill(mask[:, None] == 0, -1e4).softmax(-1) @ self.says(told)
        nothing = torch.zeros_like(told[:, :1])
        before = torch.cat([nothing, told[:, :-1]], 1)
        after = torch.cat([told[:, 1:], nothing], 1)
        last = told[torch.arange(len(told)), mask.sum(1).long() - 1][:, None]
        ends = told[:, :1].expand_as(told), last.expand_as(told)
        joined = torch.cat([told, seen, before, after, *ends], -1)
        middle = F.relu(self.middle(F.dropout(joined, 0.3, self.training)))
        likely: Tensor = self.foreign(F.dropout(middle, 0.2, self.training))[..., 0]
        return likely


def _batch(some: Sequence[Read]) -> tuple[Tensor, Tensor, Tensor]:
    most = max(len(one.states) for one in some)
    width = some[0].states.shape[1] + some[0].layout.shape[1]
    rows, mask = torch.zeros(len(some), most, width), torch.zeros(len(some), most)
    wanted = torch.zeros(len(some), most)
    for n, one in enumerate(some):
        size = len(one.states)
        rows[n, :size] = torch.from_numpy(np.concatenate([one.states, one.layout], 1))
        mask[n, :size] = 1
        wanted[n, :size] = torch.from_numpy(one.foreign.astype(np.float32))
    return rows, mask, wanted


def train(some: Sequence[Read], seed: int = 0) -> Network:
    """One network over the messages of a script."""
    torch.manual_seed(seed)
    draw = np.random.default_rng(seed)
    network = Network(some[0].states.shape[1] + some[0].layout.shape[1])
    steps = _EPOCHS * (len(some) // _BATCH)
    adam = torch.optim.AdamW(network.parameters(), _RATE / 2, weight_decay=0.02)
    pace = torch.optim.lr_scheduler.OneCycleLR(adam, _RATE, total_steps=steps + 1)
    for _ in range(_EPOCHS):
        order = draw.permutation(len(some))
        for at in range(0, len(some) - _BATCH + 1, _BATCH):
            rows, mask, wanted = _batch([some[n] for n in order[at : at + _BATCH]])
            loss = F.binary_cross_entropy_with_logits(network(rows, mask), wanted, mask)
            adam.zero_grad()
            loss.backward()
            adam.step()
            pace.step()
    return network.eval()


def likelihoods(network: Network, some: Sequence[Read]) -> Floats:
    """Of every stretch, one message after the other."""
    with torch.no_grad():
        made = [torch.sigmoid(network(*_batch([one])[:2]))[0].numpy() for one in some]
    return np.concatenate(made)


def report(name: str, likely: Floats, some: Sequence[Read]) -> None:
    """Precision and recall of either voice at some levels."""
    foreign = np.concatenate([one.foreign for one in some])
    print(f"{name}: {len(foreign)} stretches, {foreign.sum()} of somebody else")
    for level in _LEVELS:
        for voice, on, wanted in (
            ("others", likely >= level, foreign),
            ("own", likely <= 1 - level, ~foreign),
        ):
            right = (on & wanted).sum()
            print(
                f"  {level} {voice}: precision {right / max(1, on.sum()):.3f}"
                f" recall {right / wanted.sum():.3f}"
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("messages", type=Path, help="a folder of marked messages")
    parser.add_argument("reader", type=Path, help="the folder of the encoders; gets the networks")
    parser.add_argument("--combined", type=int, default=3_000, help="messages made of parts")
    parser.add_argument("--cache", type=Path, help="a file that keeps what was read")
    given = parser.parse_args()
    if given.cache and given.cache.exists():
        read: list[Read] = pickle.loads(given.cache.read_bytes())
    else:
        read = list(read_states(TrainedReader(given.reader), _all(given.messages, given.combined)))
        if given.cache:
            given.cache.write_bytes(pickle.dumps(read))
    for script in SCRIPTS:
        mine = [one for one in read if one.script == script]
        network = train([one for one in mine if one.marked.source != _HELD_OUT])
        held = [one for one in mine if one.marked.source == _HELD_OUT]
        report(script, likelihoods(network, held), held)
        arrays = {name: value.half().numpy() for name, value in network.state_dict().items()}
        np.savez_compressed(given.reader / f"{script}.voice.npz", **arrays)


def _all(folder: Path, combined: int) -> Iterator[Marked]:
    """The messages of a folder, and what is made of those that are not held out."""
    for seed, (language, script) in enumerate((("en", SCRIPTS[0]), ("zh", SCRIPTS[1]))):
        kept: list[Parts] = []
        for path in sorted(folder.glob(f"*{language}.txt")):
            for parts in read_messages(path):
                marked = joined(parts, path.stem)
                if is_held_out(marked.text):
                    yield joined(parts, _HELD_OUT)
                else:
                    kept.append(parts)
                    if path.stem not in _SEEN_BY_ENCODERS:
                        yield marked
        yield from Combiner(kept, script, seed).messages(combined)


if __name__ == "__main__":
    main()
