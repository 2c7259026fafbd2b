"""Tokens in the database: expiry, rates, quotas, last use, the trail, and those of an issuer."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
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
from tests.waiting import wait_for

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
        with mind._store.pin("mine"):
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


class IssuerServer(ThreadingHTTPServer):
    """An OpenID Connect issuer on loopback: what it publishes, and how often it was asked."""

    def __init__(self, **keys: rsa.RSAPrivateKey) -> None:
        super().__init__(("127.0.0.1", 0), IssuerPages)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.keys = keys
        self.asked = 0
        self.awake = threading.Event()
        self.awake.set()

    def token(self, signer: Any = None, algorithm: str = "RS256", **changes: Any) -> str:
        kid = changes.pop("kid", "one")
        claims = {
            "iss": self.url, "aud": "mnemic", "sub": "ann", "scope": "openid mnemic:write",
            "exp": datetime.now(UTC) + timedelta(minutes=5),
        }  # fmt: skip
        given = {name: value for name, value in (claims | changes).items() if value is not None}
        return jwt.encode(given, signer or self.keys["one"], algorithm, headers={"kid": kid})


class IssuerPages(BaseHTTPRequestHandler):
    server: IssuerServer

    def do_GET(self) -> None:
        self.server.asked += 1
        self.server.awake.wait()
        url = self.server.url
        keys = [
            {**json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(key.public_key())), "kid": name}
            for name, key in self.server.keys.items()
        ]
        pages = {
            "/.well-known/openid-configuration": {"issuer": url, "jwks_uri": f"{url}/keys"},
            "/keys": {"keys": keys},
        }
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(pages[self.path]).encode())

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def issuer() -> Iterator[IssuerServer]:
    with IssuerServer(one=rsa.generate_private_key(65537, 2048)) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.awake.set()
        server.shutdown()
        thread.join()


@pytest.fixture
def trusting(tmp_path: Path, issuer: IssuerServer) -> Iterator[Running]:
    """A service that accepts the tokens of the issuer."""
    with serving(tmp_path, None, service={"issuer": Issuer(issuer.url, "mnemic")}) as served:
        yield served


def ask(served: Running, token: str, space: str = "ann") -> int:
    with served.http(token) as http:
        return http.get(f"/v1/spaces/{space}/stats").status_code


def test_tokens_of_a_trusted_issuer(trusting: Running, issuer: IssuerServer) -> None:
    token = issuer.token
    assert ask(trusting, token()) == 200
    assert ask(trusting, token(), "bob") == 403
    assert ask(trusting, token(mnemic_spaces=["bob"]), "bob") == 200
    assert ask(trusting, token(mnemic_spaces=["*"]), "bob") == 200
    past = datetime.now(UTC) - timedelta(minutes=5)
    other = rsa.generate_private_key(65537, 2048)
    for wrong in (
        token(aud="another"), token(iss="https://evil.example"), token(exp=past), token(exp=None),
        token(sub=None), token(sub=""), token(sub="*"), token(sub="ann "), token(sub="ann\x1b[2J"),
        token(scope="openid"), token(scope=7), token(scope={"mnemic:admin": 1}),
        token(signer=other), token(kid="two"), token("secret" * 8, "HS256"),
        jwt.encode({"sub": "ann"}, "", "none"), token()[:-2], "a.b.c", "x",
    ):  # fmt: skip
        assert ask(trusting, wrong) == 401, wrong
    assert ask(trusting, trusting.token("read", "ann")) == 200, "our own tokens go on"
    assert {grant.name for grant in trusting.tokens.all()} == {"admin", "ann", "read of a test"}
    (ann,) = [grant for grant in trusting.tokens.all() if grant.name == "ann"]
    trusting.tokens.revoke(ann.id)
    assert ask(trusting, token()) == 401


def test_a_subject_is_no_token(trusting: Running, issuer: IssuerServer) -> None:
    """Anybody may know who has signed in."""
    subject = f"{issuer.url}\0ann"
    assert ask(trusting, issuer.token()) == 200
    with httpx.Client(base_url=trusting.url, trust_env=False) as http:
        assert http.post("/session", json={"token": subject}).status_code == 401
        quoted = subject.replace("\0", "\\000")
        stolen = http.get("/v1/spaces/ann/stats", headers={"cookie": f'mnemic_session="{quoted}"'})
    assert stolen.status_code == 401


def test_an_issuer_changes_its_keys(
    trusting: Running, issuer: IssuerServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [time.monotonic()]
    monkeypatch.setattr("mnemic.serve.http.issuer.monotonic", lambda: now[0])
    assert ask(trusting, issuer.token()) == 200
    asked = issuer.asked
    for number in range(20):
        assert ask(trusting, issuer.token(kid=f"guess {number}")) == 401
    assert issuer.asked == asked, "keys that nobody has do not make work for the issuer"
    issuer.keys["two"] = second = rsa.generate_private_key(65537, 2048)
    now[0] += 11
    assert ask(trusting, issuer.token(second, kid="two")) == 200
    assert ask(trusting, issuer.token()) == 200
    first = issuer.keys.pop("one")
    now[0] += 301
    assert ask(trusting, issuer.token(first)) == 401
    assert ask(trusting, issuer.token(second, kid="two")) == 200


def test_an_issuer_that_hangs_holds_up_nobody(
    trusting: Running, issuer: IssuerServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [time.monotonic()]
    monkeypatch.setattr("mnemic.serve.http.issuer.monotonic", lambda: now[0])
    ours = trusting.token("read", "ann")
    assert ask(trusting, issuer.token()) == 200
    issuer.awake.clear()
    now[0] += 301
    asked = issuer.asked
    waiting = threading.Thread(target=ask, args=(trusting, issuer.token(kid="two")))
    waiting.start()
    wait_for(lambda: issuer.asked > asked)
    for token in (issuer.token(), ours):
        begun = time.monotonic()
        assert ask(trusting, token) == 200
        assert time.monotonic() - begun < 5
    assert waiting.is_alive()
    issuer.awake.set()
    waiting.join()
    issuer.shutdown()
    issuer.server_close()
    now[0] += 301
    assert ask(trusting, issuer.token()) == 503, "who looks says that the issuer is away"
    assert ask(trusting, issuer.token()) == 200
    now[0] += 3600
    assert {ask(trusting, issuer.token()) for _ in range(2)} == {503}


def test_an_issuer_needs_tls_and_a_running_one(tmp_path: Path) -> None:
    with pytest.raises(mnemic.ConfigError, match="no TLS"):
        Issuer("http://issuer.example", "mnemic")
    away = Issuer("http://127.0.0.1:9", "mnemic")
    with serving(tmp_path, None, service={"issuer": away}) as served:
        assert ask(served, jwt.encode({"sub": "ann"}, "secret" * 8, headers={"kid": "one"})) == 503


def test_who_guesses_tokens_is_slowed_down(served: Running) -> None:
    with served.http("mnm_guess") as wrong, served.http() as right:
        begun = time.monotonic()
        assert {wrong.get(STATS).status_code for _ in range(120)} == {401}
        assert time.monotonic() - begun > 1.2
        begun = time.monotonic()
        assert right.get(STATS).status_code == 200
        assert time.monotonic() - begun < 1


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
