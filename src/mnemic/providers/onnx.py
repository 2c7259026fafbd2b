"""A model from a folder, on onnxruntime: its files, its options, and the loaded model."""

from __future__ import annotations

import atexit
import os
import threading
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from mnemic.errors import ConfigError, ModelRefused
from mnemic.late import NDArray
from mnemic.locks import ForkSafeLock
from mnemic.providers import extras

EXTRA = "local-models"
CHARS_A_TOKEN = 16  # more than any tokenizer needs: the rest of a long text is not even cut up
_LAST_RUN = 10.0  # seconds that the end of a process waits for
_MODELS = ("model.onnx", "onnx/model.onnx", "model_quantized.onnx", "onnx/model_quantized.onnx")


class OnnxFolder:
    """The files of one model. Loads at first use; safe to use from several threads."""

    def __init__(self, folder: Path, *, remedy: str) -> None:
        """``remedy`` says what to do when a file is missing."""
        extras.require(EXTRA, "onnxruntime", "tokenizers")
        self.model = _file(folder, *_MODELS, remedy=remedy)
        self.tokenizer = _file(folder, "tokenizer.json", remedy=remedy)
        self._loaded: OnnxModel | None = None
        self._loading = ForkSafeLock()

    def load(self, *, max_tokens: int, threads: int) -> OnnxModel:
        """The model, and its tokenizer, which cuts at ``max_tokens`` and pads batches."""
        with self._loading:
            if self._loaded is None:
                remedy = "Fetch the files again"
                model = OnnxModel(
                    self.model, self.tokenizer, threads=threads, extra=EXTRA, remedy=remedy
                )
                model.tokenizer.enable_truncation(max_tokens)
                model.tokenizer.enable_padding()
                self._loaded = model
            return self._loaded


class OnnxModel:
    """A model and its tokenizer as they were loaded."""

    def __init__(
        self, model: Path, tokenizer: Path, *, threads: int, extra: str, remedy: str
    ) -> None:
        """``extra`` installs what it runs on; ``remedy`` says what to do with damaged files."""
        with _runs:
            onnxruntime = extras.load(extra, "onnxruntime")
            tokenizers = extras.load(extra, "tokenizers")
            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads = threads
            options.log_severity_level = 3
            try:
                self._onnx = onnxruntime.InferenceSession(
                    str(model), options, providers=["CPUExecutionProvider"]
                )
                self.tokenizer = tokenizers.Tokenizer.from_file(str(tokenizer))
            except Exception as error:  # Both libraries raise types of their own, and Exception.
                raise ModelRefused(
                    f"{model.name} or {tokenizer.name} in {model.parent.name} cannot be loaded: "
                    f"{type(error).__name__}",
                    remedy=remedy,
                ) from error
        self.name = model.parent.name
        self.tokenizer.encode_special_tokens = True  # "[SEP]" in a text is what somebody wrote
        self.inputs: list[str] = [node.name for node in self._onnx.get_inputs()]
        self.outputs: list[str] = [node.name for node in self._onnx.get_outputs()]

    def run(self, feed: Mapping[str, NDArray[Any]]) -> list[NDArray[Any]]:
        """Every output, in the order of ``outputs``."""
        with _runs:
            outputs: list[NDArray[Any]] = self._onnx.run(None, dict(feed))
        return outputs


class _Runs:
    """Counts the calls of native code, so that a process ends after the last and before the next:
    the interpreter ends its other threads where they stand, which native code does not survive.
    """

    def __init__(self) -> None:
        self._reset()
        os.register_at_fork(after_in_child=self._reset)
        atexit.register(self._end)

    def _reset(self) -> None:
        self._changed = threading.Condition()
        self._count = 0
        self._ending = False

    def __enter__(self) -> None:
        with self._changed:
            while self._ending:
                self._changed.wait()
            self._count += 1

    def __exit__(self, *exc: object) -> None:
        with self._changed:
            self._count -= 1
            self._changed.notify_all()

    def _end(self) -> None:
        with self._changed:
            self._ending = True
            self._changed.wait_for(lambda: not self._count, _LAST_RUN)


_runs = _Runs()


def read_options(path: Path, fits: Callable[[str, object], bool], *, remedy: str) -> dict[str, Any]:
    """The options file of a folder; empty where there is none."""
    if not path.is_file():
        return {}
    try:
        options = tomllib.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ConfigError(f"{path} is not TOML: {error}", remedy="Correct it") from error
    wrong = sorted(name for name, value in options.items() if not fits(name, value))
    if wrong:
        raise ConfigError(f"{path} has a wrong {', '.join(wrong)}", remedy=remedy)
    return options


def is_reading_option(name: str, value: object) -> bool:
    """Whether it is one of the options that every model has, with a value that fits."""
    if name == "lowercase":
        return isinstance(value, bool)
    least = {"max_tokens": 1, "threads": 0}.get(name)
    return least is not None and type(value) is int and value >= least


def _file(folder: Path, *names: str, remedy: str) -> Path:
    for name in names:
        if (folder / name).is_file():
            return folder / name
    raise ConfigError(f"{folder} has no {names[0]}", remedy=remedy)
