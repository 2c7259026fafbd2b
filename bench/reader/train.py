"""Train the reader on one GPU: `python bench/reader/train.py DATA.npz BASES OUT` (minutes).

Loss: each question against one of its turns and hard negatives of its own memory, by token vectors
and by pooled vectors, with the turns of other questions as easy negatives; and the heads over user
turns with labels. Prints figures on the held-out conversations.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from bench.reader.bases import packed, unpacked
from bench.reader.model import Encoder, encoder_from, max_similarity

SCRIPTS = ("latin", "han")
TYPES = (
    "single several list order count change date paraphrase hint agent tool none public translated"
).split()
RELATIONS, TIMES = 46, 4
GROUP = 16  # turns a question is compared with
BATCH = 128  # questions a step
TAG_BATCH = 96
dev = "cuda" if torch.cuda.is_available() else "cpu"


class Data:
    """The arrays of `data.py`."""

    def __init__(self, path: Path) -> None:
        self.a = {name: value.astype(np.int64) for name, value in np.load(path).items()}
        a = self.a
        self.window_ends = np.append(a["window_starts"][1:], len(a["ids"]))
        self.question_ends = np.append(a["question_starts"][1:], len(a["question_ids"]))
        self.gold_ends = np.append(a["gold_starts"][1:], len(a["gold"]))
        self.windows_of = [[] for _ in a["turn_bank"]]
        for n, turn in enumerate(a["window_turn"]):
            self.windows_of[turn].append(n)
        self.turns_of = [[] for _ in a["bank_kind"]]
        for n, bank in enumerate(a["turn_bank"]):
            self.turns_of[bank].append(n)
        self.gold = [a["gold"][s:e] for s, e in zip(a["gold_starts"], self.gold_ends, strict=True)]
        self.question = [
            a["question_ids"][s:e]
            for s, e in zip(a["question_starts"], self.question_ends, strict=True)
        ]
        split = a["bank_split"][a["question_bank"]]
        has = np.array([len(g) > 0 for g in self.gold])
        self.train = np.flatnonzero((split == 0) & has)
        self.held = np.flatnonzero((split == 1) & has)
        tag_split = a["bank_split"][a["turn_bank"][a["window_turn"]]]
        self.tag_train = np.flatnonzero((a["tagged"] & 1 > 0) & (tag_split == 0))
        self.tag_held = np.flatnonzero((a["tagged"] & 1 > 0) & (tag_split == 1))
        # Messages that may have somebody else's text in them: few, so they are drawn more often.
        self.voice_train = np.flatnonzero((a["tagged"] == 2) & (tag_split == 0))
        self.voice_held = np.flatnonzero((a["tagged"] & 2 > 0) & (tag_split == 1))
        self.near: dict[int, list[int]] = {}
        self._find_near()

    def window(self, n: int) -> np.ndarray:
        return self.a["ids"][self.a["window_starts"][n] : self.window_ends[n]]

    def own(self, n: int) -> np.ndarray:
        """Pieces from the turn's opening to its end, but for the closing mark."""
        start, own = self.a["window_starts"][n], self.a["window_own"][n]
        return self.a["ids"][start + own : self.window_ends[n] - 1]

    def _find_near(self) -> None:
        """Turns that share rare pieces with a question, and those beside its gold."""
        index: dict[tuple[int, int], dict[int, list[int]]] = {}
        for q in self.train:
            bank, script = self.a["question_bank"][q], self.a["question_script"][q]
            key = bank, script
            if key not in index:
                where: dict[int, list[int]] = {}
                for turn in self.turns_of[bank]:
                    pieces = {
                        p
                        for w in self.windows_of[turn]
                        if self.a["window_script"][w] == script
                        for p in self.own(w).tolist()
                    }
                    for piece in pieces:
                        where.setdefault(piece, []).append(turn)
                index[key] = where
            size, points = len(self.turns_of[bank]), {}
            for piece in set(self.question[q].tolist()):
                turns = index[key].get(piece, [])
                weight = np.log((size + 1) / (len(turns) + 0.5)) if turns else 0
                if weight > 1:
                    for turn in turns:
                        points[turn] = points.get(turn, 0) + weight
            best = sorted(points, key=lambda t: -points[t])[:40]
            first, last = self.turns_of[bank][0], self.turns_of[bank][-1]
            beside = [g + d for g in self.gold[q] for d in (-2, -1, 1, 2) if first <= g + d <= last]
            gold = set(self.gold[q].tolist())
            self.near[q] = [
                t for t in dict.fromkeys([*best[:15], *beside, *best[15:]]) if t not in gold
            ]


class Reader(torch.nn.Module):
    def __init__(self, encoders: dict[str, Encoder]) -> None:
        super().__init__()
        self.encoders = torch.nn.ModuleDict(encoders)
        self.scale = torch.nn.Parameter(torch.tensor(3.0))
        self.pool_scale = torch.nn.Parameter(torch.tensor(3.0))


def padded(rows: list[np.ndarray], own: list[int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    length = (max(len(r) for r in rows) + 7) // 8 * 8
    ids = np.zeros((len(rows), length), np.int64)
    mask = np.zeros((len(rows), length), np.float32)
    mine = np.zeros((len(rows), length), bool)
    for n, (row, start) in enumerate(zip(rows, own, strict=True)):
        ids[n, : len(row)] = row
        mask[n, : len(row)] = 1
        mine[n, start : len(row) - (1 if start else 0)] = True
    return ids, mask, mine


def chunks_of(rows, own, scripts, at_once=640):
    """Rows of one script and of like length together, with their places."""
    chunks = []
    for n in range(len(SCRIPTS)):
        at = sorted((i for i, s in enumerate(scripts) if s == n), key=lambda i: len(rows[i]))
        for k in range(0, len(at), at_once):
            part = at[k : k + at_once]
            chunks.append((n, part, *padded([rows[i] for i in part], [own[i] for i in part])))
    return chunks


def put(x):
    return torch.as_tensor(x).to(dev, non_blocking=True)


def read(reader: Reader, chunks, kind):
    """Token vectors, weights, own marks and pooled vectors of mixed rows, padded to one length."""
    parts, longest = [], max(chunk[2].shape[1] for chunk in chunks)
    for n, at, ids, mask, mine in chunks:
        encoder, own = reader.encoders[SCRIPTS[n]], put(mine)
        with torch.autocast(dev, torch.bfloat16, enabled=dev == "cuda"):
            x = encoder.hidden(put(ids), put(mask), kind)
            vectors, weights, whole = encoder.vectors(x, own)
        parts.append((at, vectors, weights, own, whole))
    order = torch.tensor(np.argsort([i for at, *_ in parts for i in at]), device=dev)
    pad = lambda t, v: F.pad(
        t, (0, 0, 0, longest - t.shape[1]) if t.dim() == 3 else (0, longest - t.shape[1]), value=v
    )
    vectors = torch.cat([pad(p[1], 0.0) for p in parts])[order]
    weights = torch.cat([pad(p[2], 0.0) for p in parts])[order]
    mine = torch.cat([pad(p[3], False) for p in parts])[order]
    whole = torch.cat([p[4] for p in parts])[order]
    return vectors, weights, mine, whole


def pick_window(data: Data, q: int, turn: int, rng: random.Random) -> int:
    windows = data.windows_of[turn]
    if len(windows) == 1:
        return windows[0]
    asked = set(data.question[q].tolist())
    return max(windows, key=lambda w: (len(asked & set(data.own(w).tolist())), rng.random()))


def group_of(data: Data, q: int, rng: random.Random) -> list[int]:
    gold = data.gold[q].tolist()
    near = data.near[q]
    take = rng.sample(near, min(len(near), (GROUP - 1) * 2 // 3))
    bank, known = data.turns_of[data.a["question_bank"][q]], {*gold, *take}
    for _ in range(200):
        if len(take) == GROUP - 1:
            break
        turn = rng.choice(bank)
        if turn not in known:
            take.append(turn)
            known.add(turn)
    while len(take) < GROUP - 1:
        take.append(rng.choice(bank) if len(bank) > len(gold) else take[0])
    return [rng.choice(gold), *take]


def tag_chunks(data: Data, windows: list[int]):
    """Turns with labels, by script, with what the heads should say of each piece."""
    a, chunks = data.a, []
    for n in range(len(SCRIPTS)):
        mine = [w for w in windows if a["window_script"][w] == n]
        if not mine:
            continue
        ids, mask, own = padded(
            [data.window(w) for w in mine], [int(a["window_text"][w]) for w in mine]
        )
        targets = []
        for name in ("tags", "relations", "subjects", "times", "voices"):
            t = np.zeros(ids.shape, np.int64)
            for i, w in enumerate(mine):
                s, e = a["window_starts"][w], data.window_ends[w]
                t[i, : e - s] = a[name][s:e]
            targets.append(t)
        trap = np.array([a["turn_trap"][a["window_turn"][w]] > 0 for w in mine], np.float32)
        known = np.array([a["tagged"][w] & 1 > 0 for w in mine])  # whose facts are labeled
        chunks.append((n, ids, mask, own, targets, trap, known))
    return chunks


def tag_loss(reader: Reader, chunks) -> Tensor:
    total, count = torch.zeros((), device=dev), sum(len(c[1]) for c in chunks)
    for n, ids, mask, own, targets, trapped, known in chunks:
        e, own, known = reader.encoders[SCRIPTS[n]], put(own), put(known)
        tags, relations, subjects, times, voices = map(put, targets)
        with torch.autocast(dev, torch.bfloat16, enabled=dev == "cuda"):
            x = e.hidden(put(ids), put(mask), 1)
            tag, rel, sub, when, trap, voice = (
                e.tag(x),
                e.relation(x),
                e.subject(x),
                e.time(x),
                e.trap(x[:, 0]),
                e.voice(x),
            )
        heard = own & (voices > 0)
        loss = (
            0.5
            * F.cross_entropy(voice.float()[heard], voices[heard] - 1, reduction="sum")
            / (heard.sum() + 1)
        )
        weight = torch.tensor([1.0, 2.0, 2.0], device=dev)
        own = own & known[:, None]
        loss = loss + F.cross_entropy(
            tag.float()[own], tags[own], weight=weight, reduction="sum"
        ) / (weight[tags[own]].sum() + 1)
        inside = own & (tags > 0)
        loss = loss + 0.5 * F.cross_entropy(
            rel.float()[inside], relations[inside] - 1, reduction="sum"
        ) / (inside.sum() + 1)
        loss = loss + 0.2 * F.cross_entropy(
            sub.float()[inside], subjects[inside] - 1, reduction="sum"
        ) / (inside.sum() + 1)
        loss = loss + 0.2 * F.cross_entropy(
            when.float()[inside], times[inside] - 1, reduction="sum"
        ) / (inside.sum() + 1)
        loss = (
            loss
            + 0.3
            * (
                F.binary_cross_entropy_with_logits(
                    trap.float()[:, 0], put(trapped), reduction="none"
                )
                * known
            ).mean()
        )
        total = total + loss * len(ids) / count
    return total


class Steps(torch.utils.data.IterableDataset):
    """Batches without end, made by worker processes."""

    def __init__(self, data: Data, pool: np.ndarray, tags: bool, seed: int) -> None:
        self.data, self.pool, self.tags, self.seed = data, pool.tolist(), tags, seed

    def __iter__(self):
        info = torch.utils.data.get_worker_info()
        rng = random.Random(self.seed * 1000 + (info.id if info else 0))
        data, a, order = self.data, self.data.a, []
        while True:
            while len(order) < BATCH:
                more = self.pool[:]
                rng.shuffle(more)
                order = more + order
            now, order = order[-BATCH:], order[:-BATCH]
            windows = [pick_window(data, q, t, rng) for q in now for t in group_of(data, q, rng)]
            asked = chunks_of(
                [data.question[q] for q in now], [0] * BATCH, [a["question_script"][q] for q in now]
            )
            turns = chunks_of(
                [data.window(w) for w in windows],
                [int(a["window_own"][w]) for w in windows],
                [a["window_script"][w] for w in windows],
            )
            banks = np.array([a["question_bank"][q] for q in now])
            labeled = (
                tag_chunks(
                    data,
                    rng.choices(data.tag_train.tolist(), k=TAG_BATCH)
                    + rng.choices(data.voice_train.tolist(), k=TAG_BATCH // 4),
                )
                if self.tags
                else []
            )
            yield asked, turns, banks, labeled


def train(
    reader: Reader,
    data: Data,
    steps: int,
    rate: float,
    tag_share: float,
    seed: int,
    pool: np.ndarray,
    log: str,
) -> None:
    torch.manual_seed(seed)
    reader.to(dev).train()
    body, heads = [], []
    for name, p in reader.named_parameters():
        base = any(k in name for k in (".word.", ".place.", ".kind.", ".norm.", ".layers."))
        (body if base else heads).append(p)
    opt = torch.optim.AdamW(
        [{"params": body, "lr": rate}, {"params": heads, "lr": rate * 10}],
        weight_decay=0.01,
        fused=dev == "cuda",
    )
    plan = torch.optim.lr_scheduler.LambdaLR(
        opt, lambda s: min((s + 1) / (0.08 * steps + 1), max(0.02, (steps - s) / steps))
    )
    workers = min(14, os.cpu_count() or 1) if dev == "cuda" else 0
    batches = iter(
        torch.utils.data.DataLoader(
            Steps(data, pool, bool(tag_share), seed), batch_size=None, num_workers=workers
        )
    )
    began, shown = time.time(), torch.zeros(2, device=dev)
    first = torch.zeros(BATCH, dtype=torch.long, device=dev)
    own = torch.arange(BATCH, device=dev)
    for step in range(steps):
        asked, turns, bank, labeled = next(batches)
        qv, qw, _, qp = read(reader, asked, 0)
        dv, _, dm, dp = read(reader, turns, 1)
        length = dv.shape[1]
        dv, dm, dp = (
            dv.view(BATCH, GROUP, length, -1),
            dm.view(BATCH, GROUP, length),
            dp.view(BATCH, GROUP, -1),
        )
        s = max_similarity(qv, qw, dv, dm) * reader.scale.exp()
        loss = F.cross_entropy(s, first)
        # The turns of the other questions, by the same vectors; those of one memory may fit too.
        banks = put(bank)
        same = (banks[:, None] == banks[None]) & ~torch.eye(BATCH, dtype=torch.bool, device=dev)
        x = (
            torch.einsum("bqd,cld->bcql", qv, dv[:, 0])
            .masked_fill(~dm[:, 0][None, :, None, :], -1e4)
            .amax(-1)
        )
        x = (x * qw[:, None]).sum(-1) / qw.sum(-1)[:, None] * reader.scale.exp()
        loss = loss + 0.3 * F.cross_entropy(x.masked_fill(same, -1e4), own)
        ps = torch.einsum("bd,bnd->bn", qp, dp) * reader.pool_scale.exp()
        px = qp @ dp[:, 0].T * reader.pool_scale.exp()
        loss = (
            loss
            + 0.5 * F.cross_entropy(ps, first)
            + 0.3 * F.cross_entropy(px.masked_fill(same, -1e4), own)
        )
        tl = tag_loss(reader, labeled) if labeled else torch.zeros((), device=dev)
        loss = loss + tag_share * tl
        opt.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(reader.parameters(), 1.0)
        opt.step()
        plan.step()
        shown = 0.98 * shown + 0.02 * torch.stack([loss.detach(), tl.detach()])
        if step % 200 == 0 or step == steps - 1:
            print(
                f"   {log} {step}/{steps} {time.time() - began:.0f}s loss {shown[0].item():.3f} tags {shown[1].item():.3f} scale {reader.scale.exp().item():.1f}",
                flush=True,
            )


@torch.no_grad()
def evaluate(reader: Reader, data: Data, questions: np.ndarray, log: str) -> None:
    """Recall by the token vectors alone and by the pooled ones, by type and crossing of scripts."""
    reader.to(dev).eval()
    a = data.a
    figures: dict[str, list[tuple[float, float, float, float]]] = {}
    for bank in sorted({a["question_bank"][q] for q in questions}):
        mine = [q for q in questions if a["question_bank"][q] == bank]
        windows = [w for t in data.turns_of[bank] for w in data.windows_of[t]]
        dv, _, dm, dp = read(
            reader,
            chunks_of(
                [data.window(w) for w in windows],
                [int(a["window_own"][w]) for w in windows],
                [a["window_script"][w] for w in windows],
            ),
            1,
        )
        turn = torch.tensor([a["window_turn"][w] for w in windows], device=dev)
        for q in mine:
            qv, qw, _, qp = read(
                reader, chunks_of([data.question[q]], [0], [a["question_script"][q]]), 0
            )
            s = max_similarity(qv, qw, dv[None], dm[None])[0]
            p = dp @ qp[0]
            row = []
            for scores in (s, p):
                ranked = list(dict.fromkeys(turn[scores.argsort(descending=True)].tolist()))
                gold = set(data.gold[q].tolist())
                for k in (5, 10):
                    row.append(len(gold & set(ranked[:k])) / len(gold))
            crossing = any(
                a["window_script"][data.windows_of[g][0]] != a["question_script"][q]
                for g in data.gold[q]
            )
            for key in (
                "all",
                TYPES[a["question_type"][q]],
                "crossing" if crossing else SCRIPTS[a["question_script"][q]],
            ):
                figures.setdefault(key, []).append(tuple(row))
    print(f"  {log}: late @5 @10 | pooled @5 @10")
    for key, rows in sorted(figures.items()):
        m = np.mean(rows, axis=0)
        print(
            f"    {key:12} {len(rows):5}  {m[0]:.3f} {m[1]:.3f} | {m[2]:.3f} {m[3]:.3f}", flush=True
        )


@torch.no_grad()
def evaluate_tags(reader: Reader, data: Data, log: str) -> None:
    """Values found, and found with their relation, on held-out user turns."""
    reader.to(dev).eval()
    a = data.a
    for n, script in enumerate(SCRIPTS):
        mine = [w for w in data.tag_held if a["window_script"][w] == n]
        for threshold in (0.4, 0.6, 0.8):
            right = with_relation = proposed = wanted = found = in_traps = 0
            for i in range(0, len(mine), 64):
                part = mine[i : i + 64]
                ids, mask, _ = map(
                    put,
                    padded(
                        [data.window(w) for w in part], [int(a["window_text"][w]) for w in part]
                    ),
                )
                e = reader.encoders[script]
                x = e.hidden(ids, mask, 1)
                p = e.tag(x).float().softmax(-1).cpu().numpy()
                rel = e.relation(x).float().argmax(-1).cpu().numpy()
                for k, w in enumerate(part):
                    s, end = a["window_starts"][w], data.window_ends[w]
                    gold = spans_of(a["tags"][s:end], a["relations"][s:end])
                    wanted += len(gold)
                    spans, open_ = [], None
                    for t in range(int(a["window_text"][w]), end - s - 1):
                        on = 1 - p[k, t, 0] >= threshold
                        if on and (open_ is None or p[k, t, 1] > 0.5):
                            if open_:
                                spans.append(open_)
                            open_ = [t, t + 1, rel[k, t]]
                        elif on:
                            open_[1] = t + 1
                        elif open_:
                            spans.append(open_)
                            open_ = None
                    if open_:
                        spans.append(open_)
                    proposed += len(spans)
                    in_traps += len(spans) * (a["turn_trap"][a["window_turn"][w]] > 0)
                    hit = set()
                    for b, f, r in spans:
                        match = [
                            (g, gr)
                            for g, (gb, gf, gr) in enumerate(gold)
                            if min(f, gf) - max(b, gb) >= 0.5 * min(f - b, gf - gb)
                        ]
                        right += bool(match)
                        with_relation += any(gr - 1 == r for _, gr in match)
                        hit |= {g for g, _ in match}
                    found += len(hit)
            print(
                f"  {log} tags {script} {threshold}: P {right / max(1, proposed):.3f} R {found / max(1, wanted):.3f} with relation P {with_relation / max(1, proposed):.3f} proposed {proposed} wanted {wanted} in traps {in_traps}",
                flush=True,
            )


@torch.no_grad()
def evaluate_voice(reader: Reader, data: Data) -> None:
    """Of the pieces of held-out messages, how many are told apart."""
    a = data.a
    for n, script in enumerate(SCRIPTS):
        mine = [w for w in data.voice_held if a["window_script"][w] == n]
        table = np.zeros((2, 2), int)
        for i in range(0, len(mine), 64):
            part = mine[i : i + 64]
            ids, mask, _ = map(put, padded([data.window(w) for w in part], [1] * len(part)))
            said = (
                reader.encoders[script]
                .voice(reader.encoders[script].hidden(ids, mask, 1))
                .float()
                .argmax(-1)
                .cpu()
                .numpy()
            )
            for k, w in enumerate(part):
                s, e = a["window_starts"][w], data.window_ends[w]
                true = a["voices"][s:e]
                for c in (1, 2):
                    for p in (0, 1):
                        table[c - 1, p] += int(((true == c) & (said[k, : e - s] == p)).sum())
        print(
            f"  voice {script}: own right {table[0, 0]} wrong {table[0, 1]}, foreign right {table[1, 1]} missed {table[1, 0]}",
            flush=True,
        )


def spans_of(tags: np.ndarray, relations: np.ndarray) -> list[tuple[int, int, int]]:
    spans, at = [], None
    for n, tag in enumerate([*tags.tolist(), 0]):
        if at is not None and tag != 2:
            spans.append((at, n, int(relations[at])))
            at = None
        if tag == 1:
            at = n
    return spans


def save(reader: Reader, out: Path) -> None:
    """Packed arrays in pieces that fit any transfer."""
    import io
    import lzma

    for script, encoder in reader.encoders.items():
        arrays = {n: v.detach().float().cpu().numpy() for n, v in encoder.state_dict().items()}
        held = io.BytesIO()
        np.savez(held, **packed(arrays))
        raw = lzma.compress(held.getvalue(), preset=1)
        for i in range(0, len(raw), 15_000_000):
            (out / f"{script}.npz.xz.{i // 15_000_000}").write_bytes(raw[i : i + 15_000_000])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("bases", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--public-steps", type=int, default=250)
    parser.add_argument("--steps", type=int, default=600)
    parser.add_argument("--tag-share", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=0)

    given = parser.parse_args()
    began = time.time()
    data = Data(given.data)
    print(
        f"{len(data.train)} questions to train on, {len(data.held)} held out, {len(data.tag_train)} turns with labels, {time.time() - began:.0f}s",
        flush=True,
    )
    encoders = {
        s: encoder_from(unpacked((given.bases / f"{s}.npz.xz").read_bytes()), RELATIONS, TIMES)
        for s in SCRIPTS
    }
    reader = Reader(encoders)
    kinds = data.a["bank_kind"][data.a["question_bank"][data.train]]
    talk, public = data.train[kinds == 0], data.train[kinds == 1]
    rng = np.random.default_rng(given.seed)
    if given.public_steps and len(public):
        train(
            reader,
            data,
            given.public_steps,
            1e-4,
            0.3,
            given.seed,
            np.concatenate([public, talk, talk]),
            "public and talk",
        )
    some = (
        rng.choice(public, min(len(public), len(talk) // 4), replace=False)
        if len(public)
        else public
    )
    train(
        reader,
        data,
        given.steps,
        7e-5,
        given.tag_share,
        given.seed + 1,
        np.concatenate([talk, talk, some]),
        "talk",
    )
    given.out.mkdir(parents=True, exist_ok=True)
    save(reader, given.out)
    print(f"saved after {time.time() - began:.0f}s", flush=True)
    of_talk = data.a["bank_kind"][data.a["question_bank"][data.held]] == 0
    evaluate(reader, data, data.held[of_talk], "held out")
    evaluate_tags(reader, data, "held out")
    evaluate_voice(reader, data)
    print(f"{time.time() - began:.0f}s", flush=True)


if __name__ == "__main__":
    main()
