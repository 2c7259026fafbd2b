"""Reranking: a cross-encoder that reads the query and a passage together.

Slower and better than vectors, which are made without knowing the query; so it reads a short window
of few passages, the best first, and stops when its time is up. The folder is laid out like that of
a sentence encoder, with ``rerank.toml`` for what differs.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path
from typing import Any, TypeAlias

from mnemic.errors import BadVector
from mnemic.language.detection import language_of
from mnemic.language.windows import query_windows
from mnemic.late import NDArray, dataclass, np
from mnemic.providers.onnx import OnnxFolder, OnnxModel, is_reading_option, read_options

OPTIONS = "rerank.toml"
_LANGUAGES = ("en", "zh")
_FEWEST = 5  # passages: judging fewer is not worth the time
_EASING = 0.9  # of the remembered cost, each time it kept the model out: a busy moment passes
_NAME = 40  # characters of a speaker's name
_STEEPEST = 60.0  # beyond this a share is 0 or 1 to the last digit
Logits: TypeAlias = "NDArray[np.float64]"


@dataclass(frozen=True, slots=True)
class Passage:
    """A candidate as a cross-encoder reads it; ``before`` is the turn before it."""

    text: str
    speaker: str = ""
    day: date | None = None
    before: str = ""


@dataclass(frozen=True, slots=True)
class RerankOptions:
    """The options in ``rerank.toml`` beside a model."""

    max_tokens: int = 96  # of query and passage together
    before_tokens: int = 0  # of the turn before, which only some models were taught to read
    lowercase: bool = False
    threads: int = 1  # 0: as many as there are cores
    milliseconds: int = 500  # for one query; 0: no limit
    languages: Sequence[str] = ()  # those the model reads; none: all


class OnnxReranker:
    """A cross-encoder from a folder. Loads at first use; safe to use from several threads.

    Passages are read one at a time: on one thread a batch is hardly faster, it pads, and with
    8-bit weights a passage's number would depend on the others in its batch.
    """

    def __init__(self, folder: Path, *, timer: Callable[[], float] = time.perf_counter) -> None:
        self._files = OnnxFolder(
            folder, remedy="Set recall.rerank_folder to a folder with model.onnx and tokenizer.json"
        )
        self._options = RerankOptions(
            **read_options(
                folder / OPTIONS,
                _is_option,
                remedy="It can set max_tokens, before_tokens, lowercase, threads, milliseconds"
                f" and languages (of {', '.join(_LANGUAGES)})",
            )
        )
        self._timer = timer
        self._passage_seconds = 0.0  # what one costs on this machine, as far as is known

    def judge(self, query: str, passages: Sequence[Passage]) -> Logits:
        """For each passage the log odds that it answers the query; NaN where it was not judged."""
        logits = np.full(len(passages), np.nan)
        places = [at for at, passage in enumerate(passages) if self._reads(passage.text)]
        if not places or not query.strip() or not self._reads(query):
            return logits
        session = self._load(query)
        limit = self._options.milliseconds / 1000
        fewest = min(_FEWEST, len(places))
        if limit and self._passage_seconds * fewest > limit:
            self._passage_seconds *= _EASING
            return logits
        start = self._timer()
        pairs = self._pairs(query, [passages[at] for at in places])
        done, spent = 0, 0.0
        for at, pair in zip(places, pairs, strict=True):
            if limit and done and spent + spent / done > limit:
                break
            logits[at] = self._logit(session, *pair)
            done, spent = done + 1, self._timer() - start
        self._passage_seconds = spent / done
        if done < fewest:
            logits[:] = np.nan
        return logits

    def _reads(self, text: str) -> bool:
        languages = self._options.languages
        return not languages or language_of([text]) in languages

    def _load(self, query: str) -> OnnxModel:
        """The model; its first run, which is slow, is not taken for what a passage costs."""
        options = self._options
        most = max(1, options.max_tokens - options.before_tokens)
        session = self._files.load(max_tokens=most, threads=options.threads)
        if not self._passage_seconds:
            (pair,) = self._pairs(query, [Passage(query)])
            self._logit(session, *pair)
        return session

    def _pairs(self, query: str, passages: Sequence[Passage]) -> list[tuple[str, str, str]]:
        """The query, a window of each passage with its speaker and day, and the turn before."""
        options = self._options
        query_tokens = max(1, options.max_tokens // 3)
        (short,) = query_windows("", [query], query_tokens)
        room = max(1, options.max_tokens - query_tokens - options.before_tokens)
        windows = query_windows(query, [passage.text for passage in passages], room)
        tail = 4 * options.before_tokens
        pairs = [
            (short, _introduce(passage, window), passage.before[-tail:] if tail else "")
            for passage, window in zip(passages, windows, strict=True)
        ]
        if options.lowercase:
            pairs = [(a.lower(), b.lower(), c.lower()) for a, b, c in pairs]
        return pairs

    def _logit(self, session: OnnxModel, query: str, passage: str, before: str) -> float:
        (pair,) = session.tokenizer.encode_batch([(query, passage)])
        ids, types = list(pair.ids), list(pair.type_ids)
        if before:
            tokens = _strip_opening(session.tokenizer.encode_batch([before])[0])
            extra = tokens[: self._options.before_tokens]
            ids += extra
            types += [1] * len(extra)
        rows = {"input_ids": ids, "attention_mask": [1] * len(ids), "token_type_ids": types}
        output, *_ = session.run(
            {name: np.array([rows[name]], np.int64) for name in session.inputs if name in rows}
        )
        return _log_odds(np.asarray(output, np.float64).reshape(-1), session.name)


def share(logit: float) -> float:
    """Log odds as a share from 0 to 1."""
    return 1 / (1 + math.exp(-min(max(logit, -_STEEPEST), _STEEPEST)))


def fuse(scores: Sequence[float], logits: Logits, weight: float) -> Logits:
    """Scores moved by what the model says of the judged ones, in the scores' own unit.

    The logits count by how far they are from their mean, as each model has a scale of its own; what
    was not judged stays where it is.
    """
    base = np.asarray(scores, np.float64)
    judged = np.isfinite(logits)
    moved: Logits = base.copy()
    if judged.sum() > 1 and logits[judged].std() > 0:
        away = (logits[judged] - logits[judged].mean()) / logits[judged].std()
        moved[judged] += weight * base[judged].std() * away
    return moved


def _introduce(passage: Passage, window: str) -> str:
    day = passage.day
    speaker = f"{passage.speaker[:_NAME]}: " if passage.speaker else ""
    return f"{day.day} {day:%B %Y} {speaker}{window}" if day else f"{speaker}{window}"


def _strip_opening(row: Any) -> list[int]:
    """Tokens of a text without those that open every text."""
    first = next((n for n, special in enumerate(row.special_tokens_mask) if not special), 0)
    return list(row.ids[first:])


def _is_option(name: str, value: object) -> bool:
    if name == "languages":
        return isinstance(value, list) and all(language in _LANGUAGES for language in value)
    if name in ("milliseconds", "before_tokens"):
        return type(value) is int and value >= 0
    return is_reading_option(name, value)


def _log_odds(output: NDArray[np.float64], model: str) -> float:
    """One number a pair, or the two of "no" and "yes"."""
    if output.shape[0] not in (1, 2) or not np.isfinite(output).all():
        raise BadVector(
            f"{model} answered {output.shape[0]} numbers for a pair, or some that are not finite",
            remedy="Check that the model is a cross-encoder with one output",
        )
    return float(output[0] if output.shape[0] == 1 else output[1] - output[0])
