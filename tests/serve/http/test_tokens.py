"""Tokens in the database: expiry, rates, quotas, last use, the trail, and those of an issuer."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import httpx
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa

import mnemic
from mnemic.clock import ManualClock
from mnemic.serve.http.issuer import Issuer
from tests.cli.conftest import Shell
from tests.conftest import NOON
from tests.serve.http.conftest import Running, serving

STATS = "/v1/spaces/mine/stats"


def test_a_token_expires(served: Running, clock: ManualClock) -> None:
    until = clock.now() + timedelta(hours=1)
    token, _ = served.tokens.add("visitor", "read", ["mine"], expires_at=until)
    with served.http(token) as http:
        assert http.get(STATS).status_code == 200
        clock.advance(hours=1)
        assert http.get(STATS).status_code == 401


@pytest.mark.parametrize(("bound", "wait"), [("rate", 60), ("quota", 12 * 3600)])
def test_a_token_asks_no_more_than_it_may(
    served: Running, clock: ManualClock, bound: str, wait: int
) -> None:
    """At noon, so that a minute and half a day are left."""
    token, grant = served.tokens.add("app", "read", ["mine"], **{bound: 3})  # type: ignore[arg-type]
    with served.http(token) as http:
        assert [http.get(STATS).status_code for _ in range(4)] == [200, 200, 200, 429]
        refused = http.get(STATS)
        assert refused.json()["code"] == "RateLimited"
        assert int(refused.headers["retry-after"]) == wait
        served.tokens.flush()  # and another process knows it
        with mnemic.connect(served.engine._path, clock=clock, worker="none") as other:
            known = other.tokens.find(token)
            with pytest.raises(mnemic.RateLimited):
                other.tokens.count(known)
        clock.advance(seconds=wait)
        assert http.get(STATS).status_code == 200
    (kept,) = [one for one in served.tokens.all() if one.id == grant.id]
    assert kept.used_at is not None
    assert kept.used_at >= NOON


def test_the_trail_says_who_did_what(served: Running) -> None:
    writer = served.token("write", "mine")
    grant = served.tokens.find(writer)
    mind = served.mind("mine", writer)
    mind.record(session="s", role="user", text="I like tea")
    memory = mind.remember("likes tea", kind="preference")
    mind.archive(memory.id)
    mind.recall("tea")
    with pytest.raises(mnemic.NotFound):
        mind.archive("unknown")
    with served.http() as http:
        entries = http.get("/v1/spaces/mine/accesses").json()["items"]
        assert http.get("/v1/spaces/theirs/accesses").json()["items"] == []
    done = [(one["operation"], one["status"], one["subject"]) for one in entries]
    assert done == [("archive", 200, memory.id), ("remember", 200, ""), ("record", 200, "")]
    assert {one["token"] for one in entries} == {grant.id}


def test_a_space_is_deleted_with_preview_receipt_and_trail(served: Running, tmp_path: Path) -> None:
    mind = served.mind("mine")
    mind.record(session="s", role="user", text="My zebrafish is called Quintus")
    served.mind("theirs").record(session="s", role="user", text="tea")
    with served.http() as http:
        preview = http.delete("/v1/spaces/mine", params={"dry_run": True}).json()
        assert preview["counts"] == {"turn": 1, "session": 1}
        assert http.get("/v1/spaces").json() == ["mine", "theirs"]
        receipt = http.delete("/v1/spaces/mine").json()
        assert receipt["counts"] == preview["counts"]
        assert http.get("/v1/spaces").json() == ["theirs"]
        assert http.delete("/v1/spaces/mine").status_code == 404
    assert mind.recall("zebrafish") == []
    assert b"zebrafish" not in (tmp_path / "memory.db").read_bytes()
    assert all(finding.ok for finding in mind.doctor(forgotten=json.dumps(receipt)))
    (entry,) = served.tokens.trail()
    assert (entry.operation, entry.subject) == ("forget_space", receipt["id"])
    mind.record(session="s", role="user", text="again")
    assert [turn.text for turn in mind.turns()] == ["again"]


def test_work_begun_before_a_space_was_forgotten_does_not_bring_it_back(tmp_path: Path) -> None:
    with mnemic.connect(tmp_path / "m.db", worker="none") as engine:
        mind = engine.mind("mine")
        mind.record(session="s", role="user", text="tea")
        with mind._store.pinned("mine"):
            engine.forget_space("mine")
            with pytest.raises(mnemic.Conflict, match="forgotten meanwhile"):
                mind.record(session="s", role="user", text="late")
        assert engine.spaces() == []


def test_forget_all_asks_first_and_writes_a_receipt(tmp_path: Path) -> None:
    shell, db = Shell(tmp_path / "m.db"), ("--db", str(tmp_path / "m.db"))
    with mnemic.open(tmp_path / "m.db", worker="none") as mind:
        mind.record(session="s", role="user", text="tea")
    assert "--yes" in shell("forget", "--all", *db, code=2).stderr
    assert "1 turn" in shell("forget", "--all", "--dry-run", *db).stdout
    assert "--all" in shell("forget", "--all", "--id", "x", *db, code=2).stderr
    receipt = tmp_path / "receipt.json"
    shell("forget", "--all", "--yes", "--receipt", str(receipt), *db)
    assert json.loads(receipt.read_text())["asked"] == "space"
    with mnemic.open(tmp_path / "m.db", worker="none") as mind:
        assert mind.turns() == []


# --- tokens of an issuer --------------------------------------------------------------------------


@contextmanager
def issuing(key: rsa.RSAPrivateKey) -> Iterator[str]:
    """An OpenID Connect issuer on loopback."""
    public = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(key.public_key()))

    class Pages(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            pages = {
                "/.well-known/openid-configuration": {"jwks_uri": f"{url}/keys"},
                "/keys": {"keys": [{**public, "kid": "one", "use": "sig", "alg": "RS256"}]},
            }
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps(pages[self.path]).encode())

        def log_message(self, *_: Any) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Pages) as server:
        url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield url
        server.shutdown()
        thread.join()


def test_tokens_of_a_trusted_issuer(tmp_path: Path) -> None:
    key = rsa.generate_private_key(65537, 2048)
    with issuing(key) as url:
        claims = {
            "iss": url, "aud": "mnemic", "sub": "ann", "scope": "openid mnemic:write",
            "exp": datetime.now(UTC) + timedelta(minutes=5),
        }  # fmt: skip

        def token(signer: Any = key, algorithm: str = "RS256", **changes: Any) -> str:
            given = {name: value for name, value in (claims | changes).items() if value is not None}
            return jwt.encode(given, signer, algorithm, headers={"kid": "one"})

        with serving(tmp_path, None, service={"issuer": Issuer(url, "mnemic")}) as served:

            def ask(given: str, space: str = "ann") -> int:
                with served.http(given) as http:
                    return http.get(f"/v1/spaces/{space}/stats").status_code

            assert ask(token()) == 200
            assert ask(token(), "bob") == 403
            assert ask(token(mnemic_spaces=["bob"]), "bob") == 200
            past = datetime.now(UTC) - timedelta(minutes=5)
            other = rsa.generate_private_key(65537, 2048)
            for wrong in (
                token(aud="another"), token(iss="https://evil.example"), token(exp=past),
                token(exp=None), token(sub=None), token(scope="openid"), token(signer=other),
                token("secret" * 8, "HS256"), token(None, "none"), token()[:-2], "a.b.c", "x",
            ):  # fmt: skip
                assert ask(wrong) == 401, wrong
            assert ask(served.token("read", "ann")) == 200, "our own tokens go on"
            (ann,) = [grant for grant in served.tokens.all() if grant.name == "ann"]
            served.tokens.revoke(ann.id)
            assert ask(token()) == 401


def test_an_issuer_needs_tls_and_a_running_one(tmp_path: Path) -> None:
    with pytest.raises(mnemic.ConfigError, match="no TLS"):
        Issuer("http://issuer.example", "mnemic")
    away = Issuer("http://127.0.0.1:9", "mnemic")
    with serving(tmp_path, None, service={"issuer": away}) as served, served.http("a.b.c") as http:
        assert http.get(STATS).status_code == 503


def test_a_cookie_is_secure_behind_a_proxy_with_tls(served: Running) -> None:
    with httpx.Client(base_url=served.url, trust_env=False) as http:
        login = {"token": served.admin}
        plain = http.post("/session", json=login).headers["set-cookie"]
        tls = http.post("/session", json=login, headers={"x-forwarded-proto": "https"})
    assert "Secure" not in plain
    assert "Secure" in tls.headers["set-cookie"]


def test_a_login_is_known_to_every_process(tmp_path: Path, clock: ManualClock) -> None:
    with serving(tmp_path, clock) as one:
        with one.http() as http:
            cookies = http.post("/session", json={"token": one.admin}).cookies
        with mnemic.connect(tmp_path / "memory.db", clock=clock) as other:
            assert other.tokens.find_login(cookies["mnemic_session"]).scope == "admin"
        clock.advance(hours=13)
        later = mnemic.connect(tmp_path / "memory.db", clock=clock)
        with later, pytest.raises(mnemic.Unauthorized):
            later.tokens.find_login(cookies["mnemic_session"])
