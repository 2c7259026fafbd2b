"""Train the reader on one GPU: `python -m bench.reader.train DATA.npz BASES OUT` (seven minutes).

First on public dialogues and conversations, then on conversations with some of the dialogues. The
rate rises and falls with the time that is given, so the run ends when it should on any machine.
"""

from __future__ import annotations

import argparse
import io
import lzma
import os
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from torch.utils.data import DataLoader

from bench.reader.bases import packed, unpacked
from bench.reader.batches import BATCH, SCRIPTS, Batches, Data
from bench.reader.figures import measure_recall, measure_tags
from bench.reader.losses import Reader, device, label_loss, recall_loss
from bench.reader.model import encoder_from

_RELATIONS, _TIMES = 46, 4  # of data.py
_PIECE = 15_000_000  # bytes of a file
_WARM = 0.08  # of the time, until the rate is full
_BASE = (".word.", ".place.", ".kind.", ".norm.", ".layers.")


def train(
    reader: Reader,
    data: Data,
    pool: Sequence[int],
    *,
    seconds: float,
    rate: float,
    label_share: float,
    seed: int,
) -> None:
    """Train for so long; new layers learn ten times as fast as the base."""
    torch.manual_seed(seed)
    reader.to(device).train()
    base = [p for n, p in reader.named_parameters() if any(part in n for part in _BASE)]
    new = [p for n, p in reader.named_parameters() if not any(part in n for part in _BASE)]
    adam = torch.optim.AdamW(
        [{"params": base}, {"params": new}], weight_decay=0.01, fused=device == "cuda"
    )
    workers = min(14, os.cpu_count() or 1) if device == "cuda" else 0
    batches = iter(DataLoader(Batches(data, pool, seed), batch_size=None, num_workers=workers))
    began, steps = time.time(), 0
    while (done := (time.time() - began) / seconds) < 1:
        for group, times in zip(adam.param_groups, (1, 10), strict=True):
            group["lr"] = rate * times * min(done / _WARM + 0.01, max(0.02, 1 - done))
        batch = next(batches)
        loss = recall_loss(reader, batch) + label_share * label_loss(reader, batch.labeled)
        adam.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(reader.parameters(), 1.0)
        adam.step()
        steps += 1
        if steps % 100 == 0:
            print(f"  {steps} steps, {done:.0%}, loss {loss.item():.3f}", flush=True)
    print(f"  {steps} steps of {BATCH} in {seconds:.0f} s", flush=True)


def save(reader: Reader, out: Path) -> None:
    """Write packed arrays in pieces, as `export.py` reads them."""
    out.mkdir(parents=True, exist_ok=True)
    for script in SCRIPTS:
        state = reader.encoders[script].state_dict()
        held = io.BytesIO()
        arrays = packed({name: value.float().cpu().numpy() for name, value in state.items()})
        np.savez(held, **arrays)  # type: ignore[arg-type]
        raw = lzma.compress(held.getvalue(), preset=1)
        for n, start in enumerate(range(0, len(raw), _PIECE)):
            (out / f"{script}.npz.xz.{n}").write_bytes(raw[start : start + _PIECE])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("bases", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--public-seconds", type=float, default=120)
    parser.add_argument("--seconds", type=float, default=285)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    data = Data(given.data)
    print(f"{len(data.train)} questions to train on, {len(data.held)} held out", flush=True)
    bases = {s: unpacked((given.bases / f"{s}.npz.xz").read_bytes()) for s in SCRIPTS}
    reader = Reader({s: encoder_from(bases[s], _RELATIONS, _TIMES) for s in SCRIPTS})
    of_talk = data.arrays["bank_kind"][data.arrays["question_bank"]] == 0
    talk = data.train[of_talk[data.train]].tolist()
    public = data.train[~of_talk[data.train]].tolist()
    first = {"seconds": given.public_seconds, "rate": 1e-4, "label_share": 0.3}
    train(reader, data, [*public, *talk, *talk], **first, seed=given.seed)
    draw = np.random.default_rng(given.seed)
    some = draw.choice(public, min(len(public), len(talk) // 4), replace=False).tolist()
    second = {"seconds": given.seconds, "rate": 7e-5, "label_share": 1.0}
    train(reader, data, [*talk, *talk, *some], **second, seed=given.seed + 1)
    save(reader, given.out)
    reader.eval()
    held = data.held[of_talk[data.held]].tolist()
    print("held out: questions, late @5 @10, pooled @5 @10")
    for key, figures in measure_recall(reader, data, held).items():
        print(f"  {key:12} {figures}")
    for key, figures in measure_tags(reader, data, 0.6).items():
        print(f"  values, {key}: {figures}")


if __name__ == "__main__":
    main()
