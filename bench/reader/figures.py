"""Figures of a trained reader on what was held out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import torch

from bench.reader.batches import SCRIPTS, Data, fill_up, question_rows, window_rows
from bench.reader.losses import Reader, device, put, read_rows
from bench.reader.model import max_similarity

TYPES = (
    "single several list order count change date paraphrase hint agent tool none public translated"
).split()
_DEPTHS = (5, 10)


def measure_recall(reader: Reader, data: Data, questions: Sequence[int]) -> Mapping[str, str]:
    """Recall@5 and @10 by token vectors and by pooled vectors alone: by type of question, by
    script, and for questions in another language than their answer.
    """
    a = data.arrays
    found: dict[str, list[list[float]]] = {}
    with torch.no_grad():
        for bank in sorted(set(a["question_bank"][questions].tolist())):
            windows = [w for turn in data.turns_of[bank] for w in data.windows_of[turn]]
            turns = read_rows(reader, window_rows(data, windows), kind=1)
            of = torch.tensor(a["window_turn"][windows], device=device)
            for q in (q for q in questions if a["question_bank"][q] == bank):
                asked = read_rows(reader, question_rows(data, [q]), kind=0)
                late = max_similarity(
                    asked.tokens, asked.weights, turns.tokens[None], turns.own[None]
                )
                pooled = turns.wholes @ asked.wholes[0]
                gold, row = set(data.gold[q].tolist()), []
                for scores in (late[0], pooled):
                    order = of[scores.argsort(descending=True)].tolist()
                    ranked = list(dict.fromkeys(order))
                    row += [len(gold & set(ranked[:depth])) / len(gold) for depth in _DEPTHS]
                scripts = {int(a["window_script"][data.windows_of[turn][0]]) for turn in gold}
                script = int(a["question_script"][q])
                language = SCRIPTS[script] if scripts == {script} else "crossing"
                for key in ("all", TYPES[a["question_type"][q]], language):
                    found.setdefault(key, []).append(row)
    return {
        key: f"{len(rows):5}  " + " ".join(f"{value:.3f}" for value in np.mean(rows, axis=0))
        for key, rows in sorted(found.items())
    }


def measure_tags(reader: Reader, data: Data, least: float) -> Mapping[str, str]:
    """Of the pieces of held-out user turns, how many of a value are marked at this probability."""
    a, figures = data.arrays, {}
    for script, name in enumerate(SCRIPTS):
        marked = right = wanted = 0
        encoder = reader.encoders[name]
        for w in (w for w in data.tag_held if a["window_script"][w] == script):
            rows = fill_up(script, [0], [data.window(w)], [int(a["window_text"][w])])
            with torch.no_grad():
                hidden = encoder.hidden(put(rows.ids), put(rows.mask), 1)
                said = 1 - encoder.tag(hidden).float().softmax(-1)[0, :, 0].cpu().numpy()
            true = a["tags"][a["window_starts"][w] : data.window_ends[w]] > 0
            on = (said[: len(true)] >= least) & rows.own[0, : len(true)]
            marked, right, wanted = (
                marked + on.sum(),
                right + (on & true).sum(),
                wanted + true.sum(),
            )
        figures[name] = (
            f"precision {right / max(1, marked):.3f} recall {right / max(1, wanted):.3f}"
        )
    return figures
