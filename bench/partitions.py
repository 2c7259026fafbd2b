"""The schema on PostgreSQL, every table partitioned by a hash of its space, beside the plain one.

    python -m bench.partitions [--spaces 64] [--turns 50] [--partitions 8]

Both databases get the same turns and questions; the answers have to be the same.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from statistics import median
from typing import Any

import click

import mnemic
from bench.corpus import Synthetic
from bench.timing import percentile
from mnemic.types import NewTurn
from tests.postgres.server import connect, start_server

_TABLES = (
    "SELECT c.relname, c.relforcerowsecurity FROM pg_class c JOIN pg_attribute a"
    " ON a.attrelid = c.oid AND a.attname = 'space' WHERE c.relkind = 'r'"
    " AND c.relnamespace = 'mnemic'::regnamespace AND c.relname != 'spaces' ORDER BY 1"
)
_POLICIES = "SELECT policyname, qual, with_check FROM pg_policies WHERE tablename = %s"
_IDENTITIES = "SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attidentity != ''"


def partition(conn: Any, count: int) -> Iterator[str]:
    """Make every table that has a space anew, in ``count`` partitions; they have to be empty."""
    conn.execute("SET search_path = mnemic, public")
    for table, forced in conn.execute(_TABLES).fetchall():
        policies = conn.execute(_POLICIES, (table,)).fetchall()
        identities = [name for (name,) in conn.execute(_IDENTITIES, (table,)).fetchall()]
        conn.execute(f"ALTER TABLE {table} RENAME TO plain")
        conn.execute(
            f"CREATE TABLE {table} (LIKE plain INCLUDING ALL EXCLUDING IDENTITY)"
            " PARTITION BY HASH (space)"
        )
        conn.execute("DROP TABLE plain")
        for name in identities:  # which partitioned tables have from PostgreSQL 17 on
            conn.execute(f"CREATE SEQUENCE {table}_numbers")
            conn.execute(f"GRANT USAGE ON {table}_numbers TO mnemic_member")
            default = f"nextval('mnemic.{table}_numbers')"
            conn.execute(f"ALTER TABLE {table} ALTER {name} SET DEFAULT {default}")
        for part in range(count):
            conn.execute(
                f"CREATE TABLE {table}_{part} PARTITION OF {table}"
                f" FOR VALUES WITH (MODULUS {count}, REMAINDER {part})"
            )
        conn.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")
        conn.execute(f"ALTER TABLE {table} {'' if forced else 'NO '}FORCE ROW LEVEL SECURITY")
        for name, using, check in policies:
            checked = f" WITH CHECK ({check})" if check else ""
            conn.execute(f"CREATE POLICY {name} ON {table} USING ({using}){checked}")
        conn.execute(f"GRANT SELECT, INSERT, UPDATE, DELETE ON {table} TO mnemic_member")
        yield table


def measure(url: str, spaces: int, turns: int) -> tuple[dict[str, list[float]], list[list[str]]]:
    """Seconds of each kind of call, and the ids that were found."""
    corpus, found = Synthetic("mixed"), []
    took: dict[str, list[float]] = {"bulk": [], "record": [], "recall": []}
    with mnemic.connect(url, worker="none") as engine:
        for n in range(spaces):
            mind = engine.mind(f"person {n}")
            texts = corpus.texts(n * turns % 10_000, turns)
            rows = [NewTurn(session="s", role="user", text=text) for text in texts]
            begun = time.perf_counter()
            mind.record_many(rows)
            took["bulk"].append(time.perf_counter() - begun)
        for n in range(2 * spaces):
            mind, text = engine.mind(f"person {n % spaces}"), corpus.texts(n, 1)[0]
            begun = time.perf_counter()
            mind.record(session="t", role="user", text=text)
            took["record"].append(time.perf_counter() - begun)
            begun = time.perf_counter()
            hits = mind.recall(text[:60])
            took["recall"].append(time.perf_counter() - begun)
            found.append([hit.text for hit in hits])
    return took, found


@click.command()
@click.option("--spaces", default=64)
@click.option("--turns", default=50)
@click.option("--partitions", default=8)
def main(*, spaces: int, turns: int, partitions: int) -> None:
    server = start_server("partitions")
    try:
        with connect(server.get_uri()) as conn:
            click.echo(conn.execute("SELECT version()").fetchone()[0])
            for name in ("plain", "partitioned"):
                conn.execute(f"CREATE DATABASE {name}")
        urls = {name: server.get_uri(name) for name in ("plain", "partitioned")}
        for url in urls.values():
            mnemic.connect(url, worker="none").close()
        with connect(urls["partitioned"]) as conn:
            click.echo(f"{len(list(partition(conn, partitions)))} tables, {partitions} partitions")
        answers = {}
        for name, url in urls.items():
            took, answers[name] = measure(url, spaces, turns)
            for kind, times in took.items():
                p50, p99 = 1e3 * median(times), 1e3 * percentile(times, 99)
                click.echo(f"{name}: {kind} {p50:.1f} / {p99:.1f} ms")
        same = sum(a == b for a, b in zip(answers["plain"], answers["partitioned"], strict=True))
        click.echo(f"{same} of {len(answers['plain'])} answers are the same")
    finally:
        server.cleanup()


if __name__ == "__main__":
    main()
