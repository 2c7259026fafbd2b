"""A simulation of skewed load: who waits how long, and how even the shards are.

People are not equal: a few talk most of the time, as in a Zipf distribution. Jobs come at random
and are done by a few workers; a space is on the shard that its name hashes to.
"""

from __future__ import annotations

import hashlib
import heapq
import random
from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass

from bench.timing import percentile

_SKEW = 1.1  # the exponent of Zipf's law
_WORK = 0.05  # seconds that a job takes on average


@dataclass(frozen=True, slots=True)
class QueueReport:
    """Seconds from a job's arrival to its beginning; ``light`` are the people with few jobs."""

    order: str
    load: float
    light_p50: float
    light_p99: float
    noisy_p50: float


@dataclass(frozen=True, slots=True)
class ShardReport:
    """The fullest shard beside the mean, by people and by load."""

    shards: int
    people: float
    load: float
    moved: float


def simulate_queue(
    *, people: int, jobs: int, workers: int, burst: int, seed: int = 1
) -> list[QueueReport]:
    """The same arrivals, done in the order of arrival and by turns; one person sends ``burst``
    jobs at once in the middle.
    """
    chance = random.Random(seed)
    weights = [1 / (rank + 1) ** _SKEW for rank in range(people)]
    rate = 0.7 * workers / _WORK  # seven tenths of what the workers can do
    arrivals: list[tuple[float, int]] = []
    moment = 0.0
    for person in chance.choices(range(people), weights, k=jobs):
        moment += chance.expovariate(rate)
        arrivals.append((moment, person))
    arrivals += [(moment / 2, 0)] * burst
    arrivals.sort()
    work = [chance.expovariate(1 / _WORK) for _ in arrivals]
    return [
        _report("by arrival", _waits(arrivals, work, workers, fair=False)),
        _report("by turns", _waits(arrivals, work, workers, fair=True)),
    ]


def _waits(
    arrivals: list[tuple[float, int]], work: list[float], workers: int, *, fair: bool
) -> list[tuple[int, float]]:
    """The wait of each job, with whose it is."""
    free = [0.0] * workers
    queue = _Turns() if fair else _Line()
    waits: list[tuple[int, float]] = []
    coming: Iterator[tuple[int, tuple[float, int]]] = enumerate(arrivals)
    following = next(coming, None)
    while following is not None or queue.size:
        now = heapq.heappop(free)
        if not queue.size and following is not None:
            now = max(now, following[1][0])
        while following is not None and following[1][0] <= now:
            queue.put(following[1][1], following[0])
            following = next(coming, None)
        number = queue.take()
        at, person = arrivals[number]
        waits.append((person, now - at))
        heapq.heappush(free, now + work[number])
    return waits


class _Line:
    """Who comes first is served first."""

    def __init__(self) -> None:
        self._jobs: deque[int] = deque()

    @property
    def size(self) -> int:
        return len(self._jobs)

    def put(self, person: int, job: int) -> None:
        self._jobs.append(job)

    def take(self) -> int:
        return self._jobs.popleft()


class _Turns:
    """Everybody who has work waiting is served once in a round, as the queue does."""

    def __init__(self) -> None:
        self._jobs: dict[int, deque[int]] = {}
        self._round: deque[int] = deque()
        self.size = 0

    def put(self, person: int, job: int) -> None:
        if not self._jobs.get(person):
            self._jobs[person] = deque()
            self._round.append(person)
        self._jobs[person].append(job)
        self.size += 1

    def take(self) -> int:
        person = self._round.popleft()
        job = self._jobs[person].popleft()
        if self._jobs[person]:
            self._round.append(person)
        self.size -= 1
        return job


def _report(order: str, waits: list[tuple[int, float]]) -> QueueReport:
    counts = Counter(person for person, _ in waits)
    few = sorted(counts.values())[len(counts) // 2]
    light = [wait for person, wait in waits if counts[person] <= few]
    noisy = [wait for person, wait in waits if person == 0]
    load = counts[0] / len(waits)
    return QueueReport(
        order, load, percentile(light, 50), percentile(light, 99), percentile(noisy, 50)
    )


def simulate_shards(*, people: int, shards: tuple[int, ...]) -> list[ShardReport]:
    """Rendezvous hashing: a shard more moves only the people that go to it."""
    loads = [1 / (rank + 1) ** _SKEW for rank in range(people)]
    reports: list[ShardReport] = []
    for count in shards:
        homes = [shard_of(f"person {n}", count) for n in range(people)]
        later = [shard_of(f"person {n}", count + 1) for n in range(people)]
        held, busy = Counter(homes), [0.0] * count
        for home, load in zip(homes, loads, strict=True):
            busy[home] += load
        moved = sum(home != new for home, new in zip(homes, later, strict=True)) / people
        reports.append(
            ShardReport(
                count,
                max(held.values()) * count / people,
                max(busy) * count / sum(loads),
                moved,
            )
        )
    return reports


def shard_of(space: str, shards: int) -> int:
    """The shard whose hash with the name is highest."""
    return max(
        range(shards),
        key=lambda shard: hashlib.blake2b(f"{shard}/{space}".encode(), digest_size=8).digest(),
    )
