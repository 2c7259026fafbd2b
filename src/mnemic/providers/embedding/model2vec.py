"""Static models of the model2vec package: from a folder, or by a name that it downloads."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from mnemic.errors import ConfigError, ModelUnavailable
from mnemic.late import np
from mnemic.locks import ForkSafeLock
from mnemic.providers import extras
from mnemic.providers.embedding.base import Vectors, checked

EXTRA = "model2vec"


class Model2VecEmbedder:
    """One model. Loads, and downloads, at first use; safe to use from several threads."""

    def __init__(self, model: str) -> None:
        """``model`` is a folder or a name on the hub."""
        extras.require(EXTRA, "model2vec")
        if not model:
            raise ConfigError(
                "No model2vec model is named",
                remedy="Set embedding.model to its name, or embedding.folder to its folder",
            )
        self._where = model
        self._model: Any = None
        self._loading = ForkSafeLock()
        self._name = ""

    @property
    def name(self) -> str:
        if not self._name:
            weights = Path(self._where, "model.safetensors")
            if weights.is_file():
                digest = sha256(weights.read_bytes()).hexdigest()[:8]
                self._name = f"model2vec-{weights.resolve().parent.name}-{digest}"
            else:
                self._name = f"model2vec-{self._where}"
        return self._name

    @property
    def dimensions(self) -> int:
        return int(self._loaded().dim)

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        model = self._loaded()
        spoken = [at for at, text in enumerate(texts) if text.strip()]
        rows = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        if spoken:
            # In this process: a pool of them costs more than it saves.
            vectors = model.encode([texts[at] for at in spoken], use_multiprocessing=False)
            rows[spoken] = checked(
                vectors, texts=len(spoken), dimensions=self.dimensions, model=self.name
            )
        return rows

    def _loaded(self) -> Any:
        if self._model is None:
            with self._loading:
                if self._model is None:
                    self._model = self._load()
        return self._model

    def _load(self) -> Any:
        static = extras.load(EXTRA, "model2vec").StaticModel
        try:
            return static.from_pretrained(self._where)
        except Exception as error:  # The hub's client raises many types of its own.
            raise ModelUnavailable(
                f"The model2vec model {self._where} cannot be loaded: {type(error).__name__}",
                remedy="Check its name and the network, or set embedding.folder to its folder",
            ) from error
