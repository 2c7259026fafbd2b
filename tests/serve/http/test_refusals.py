"""Every route of the OpenAPI document refuses who may not ask."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import httpx
import pytest

import mnemic
from mnemic.engine.remote.operations import OPERATIONS
from mnemic.types import SCOPES, Scope
from tests.serve.http.conftest import Running

PUBLIC = {"/healthz", "/readyz", "/openapi.json"}
PROBES = {"/healthz", "/readyz"}
BELOW: dict[str, Scope] = {"write": "read", "admin": "write"}


@dataclass(frozen=True)
class Listed:
    """One operation of the document."""

    method: str
    path: str
    described: dict[str, Any]

    @property
    def public(self) -> bool:
        return self.described.get("security") == []

    @property
    def url(self) -> str:
        return self.path.replace("{space}", "mine").replace("{", "").replace("}", "")


def listed(http: httpx.Client) -> Iterator[Listed]:
    document = http.get("/openapi.json").json()
    for path, methods in document["paths"].items():
        for method, described in methods.items():
            yield Listed(method.upper(), path, described)
    yield Listed("POST", "/mcp", {})
    yield Listed("POST", "/v1/spaces/{space}/mcp", {"x-scope": "write"})


def ask(http: httpx.Client, one: Listed, **headers: str) -> httpx.Response:
    body: dict[str, Any] | None = None if one.method in ("GET", "DELETE") else {}
    return http.request(one.method, one.url, headers=headers, json=body)


def refused(answer: httpx.Response, status: int) -> None:
    assert answer.status_code == status, f"{answer.request.method} {answer.request.url}"
    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json()
    assert problem["status"] == status
    assert problem["remedy"]
    assert "unsafe-inline" not in answer.headers["content-security-policy"]


def test_every_route_refuses_strangers(served: Running) -> None:
    foreign = served.token("admin", "other")
    with served.http() as admin, served.http(foreign) as other:
        nobody = httpx.Client(base_url=served.url, trust_env=False)
        wrong = served.http("mnm_" + "x" * 43)
        routes = list(listed(admin))
        assert len(routes) > 70
        port = served.url.rpartition(":")[2]
        hosts = ("evil.example", f"evil.example:{port}", "127.0.0.1.evil.example", "localhost@evil")
        origins = ("http://evil.example", "null", "http://127.0.0.1:1", "http://localhost")
        for number, one in enumerate(routes):
            if one.path not in PROBES:
                refused(ask(admin, one, host=hosts[number % len(hosts)]), 403)
            refused(ask(admin, one, origin=origins[number % len(origins)]), 403)
            refused(ask(admin, one, **{"sec-fetch-site": "cross-site"}), 403)
            if one.public:
                continue
            refused(ask(nobody, one), 401)
            refused(ask(wrong, one), 401)
            if "{space}" in one.path:
                refused(ask(other, one), 403)
        assert {one.path for one in routes if one.public} == {*PUBLIC, "/session"}
        refused(admin.get("/v1/spaces", headers={"authorization": f"Basic {served.admin}"}), 401)
        nobody.close()
        wrong.close()


def test_every_route_needs_its_scope(served: Running) -> None:
    clients = {scope: served.http(served.token(scope, "mine")) for scope in SCOPES}
    with served.http() as admin:
        scoped = [one for one in listed(admin) if one.described.get("x-scope") in BELOW]
    assert len(scoped) > 30
    for one in scoped:
        refused(ask(clients[BELOW[one.described["x-scope"]]], one), 403)
    for http in clients.values():
        http.close()
    assert {operation.scope for operation in OPERATIONS} == set(SCOPES)


def test_a_form_of_another_site_cannot_write(served: Running) -> None:
    """Even with the cookie: not as a form, not as text, not without the CSRF token."""
    with served.http() as http:
        login = http.post("/session", json={"token": served.admin})
        cookie = login.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=strict" in cookie
        csrf = login.json()["csrf"]
    page = httpx.Client(base_url=served.url, cookies=login.cookies, trust_env=False)
    turn = {"session": "s", "role": "user", "text": "tea"}
    turns = "/v1/spaces/default/turns"
    refused(page.post(turns, json=turn), 403)
    refused(page.post(turns, json=turn, headers={"x-csrf-token": "guess"}), 403)
    refused(page.post(turns, data=turn, headers={"x-csrf-token": csrf}), 422)
    text = {"content-type": "text/plain", "x-csrf-token": csrf}
    refused(page.post(turns, content='{"session":"s"}', headers=text), 422)
    assert page.get(turns).json()["items"] == []
    assert page.post(turns, json=turn, headers={"x-csrf-token": csrf}).status_code == 200
    assert page.get("/session").json()["scope"] == "admin"
    assert page.delete("/session", headers={"x-csrf-token": csrf}).status_code == 200
    refused(page.get(turns), 401)
    page.close()


def test_a_revoked_token_is_refused_at_once(served: Running) -> None:
    token = served.token("read", "mine")
    with served.http(token) as http:
        assert http.get("/v1/spaces/mine/stats").status_code == 200
        login = http.post("/session", json={"token": token})
        (id_,) = [one.id for one in served.tokens.all() if one.scope == "read"]
        served.tokens.revoke(id_)
        refused(http.get("/v1/spaces/mine/stats"), 401)
    page = httpx.Client(base_url=served.url, cookies=login.cookies, trust_env=False)
    refused(page.get("/v1/spaces/mine/stats"), 401)
    page.close()


def test_a_token_sees_only_its_spaces(served: Running) -> None:
    served.mind("mine").record(session="s", role="user", text="my tea")
    served.mind("theirs").record(session="s", role="user", text="their tea")
    mine = served.mind("mine", served.token("write", "mine"))
    assert [turn.text for turn in mine.turns()] == ["my tea"]
    assert {hit.text for hit in mine.recall("tea")} == {"my tea"}
    with served.http(served.token("write", "mine")) as http:
        assert http.get("/v1/spaces").json() == ["mine"]
        refused(http.get("/metrics"), 403)
    with served.http(served.token("admin", "mine")) as http:
        for whole in ("doctor", "repair"):
            refused(http.post(f"/v1/spaces/mine/{whole}", json={}), 403)


def test_a_receipt_tells_nothing_of_another_space(served: Running) -> None:
    """Whoever makes up a receipt of another space would learn what is said there."""
    theirs = served.mind("theirs")
    theirs.record(session="s", role="user", text="their secret garden")
    receipt = theirs.forget(session="s")
    mine = served.mind("mine")
    with pytest.raises(mnemic.InvalidInput, match="another space"):
        mine.doctor(forgotten=receipt)
    assert all(finding.ok for finding in theirs.doctor(forgotten=receipt))
    naive = receipt.at.replace(tzinfo=None)
    for broken in (replace(receipt, key="no hex"), replace(receipt, at=naive)):
        with pytest.raises(mnemic.InvalidInput, match="not a receipt"):
            theirs.doctor(forgotten=broken)


@pytest.mark.parametrize("path", ["/nothing", "/v1/spaces/mine/nothing", "/v1"])
def test_what_is_not_there(served: Running, path: str) -> None:
    with served.http() as http:
        refused(http.get(path), 404)
        answer = http.put("/session")
        refused(answer, 405)
        assert answer.headers["allow"] == "DELETE, GET, HEAD, POST"


def test_numbers_that_no_column_holds_are_no_failure(served: Running) -> None:
    served.mind("mine").record(session="session", role="user", text="tea")
    asked = 0
    with served.http() as http:
        for one in listed(http):
            for parameter in one.described.get("parameters", ()):
                if parameter["in"] != "query" or "integer" not in str(parameter.get("schema")):
                    continue
                for number in (2**63, 2**70, -(2**70)):
                    asked += 1
                    answer = http.request(one.method, one.url, params={parameter["name"]: number})
                    assert answer.status_code < 500, f"{answer.url} {answer.text}"
    assert asked > 60
