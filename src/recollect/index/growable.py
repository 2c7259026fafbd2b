"""Arrays that grow at their end."""

from __future__ import annotations

import numpy as np

_FIRST_CAPACITY = 256


def grown(array: np.ndarray, used: int, size: int) -> np.ndarray:
    """The array with room for that many rows, and a quarter more for those to come."""
    if size <= len(array):
        return array
    capacity = max(size, len(array) * 5 // 4, _FIRST_CAPACITY)
    larger = np.empty((capacity, *array.shape[1:]), array.dtype)
    larger[:used] = array[:used]
    return larger
