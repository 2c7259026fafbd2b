"""The OpenAPI 3.1 document of the service, made of the table of operations."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from typing import Any

from mnemic import __version__
from mnemic.engine.remote.operations import PAGE_LIMIT, SPACE_PATH, CallParameter, Operation
from mnemic.engine.remote.problems import MEDIA_TYPE
from mnemic.engine.remote.wire import Schema, Schemas

_PROBLEM: Schema = {
    "type": "object",
    "description": "What went wrong, as RFC 9457 has it, and what to do about it.",
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "remedy": {"type": "string"},
        "code": {"type": "string"},
    },
    "required": ["type", "title", "status", "detail", "remedy", "code"],
}
_PROBLEMS = {
    "description": "A problem; its code is the name of the error in Python.",
    "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
}
_SPACE = {"name": "space", "in": "path", "required": True, "schema": {"type": "string"}}
_KEY = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "description": "A request that is repeated with the same key is done once.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 255},
}


def openapi(operations: Iterable[Operation]) -> dict[str, Any]:
    """The whole document."""
    schemas = Schemas()
    paths: dict[str, dict[str, Any]] = {}
    for operation in operations:
        path = paths.setdefault(SPACE_PATH + operation.path, {})
        path[operation.method.lower()] = _operation(operation, schemas)
    for path_name, method, described in _SERVICE:
        paths.setdefault(path_name, {})[method] = described
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Mnemic",
            "version": __version__,
            "description": "Long-term memory for LLM agents, as a service.",
        },
        "security": [{"bearer": []}],
        "paths": paths,
        "components": {
            "schemas": dict(sorted({**schemas.components, "Problem": _PROBLEM}.items())),
            "responses": {"Problem": _PROBLEMS},
            "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}},
        },
    }


def _operation(operation: Operation, schemas: Schemas) -> dict[str, Any]:
    described: dict[str, Any] = {
        "operationId": operation.name,
        "summary": _summary(operation),
        "x-scope": operation.scope,
        "parameters": [_SPACE, *_parameters(operation, schemas)],
        "responses": {**_success(operation, schemas), "default": _REFUSED},
    }
    if operation.method != "GET" and operation.scope != "read":
        described["parameters"].append(_KEY)
    if not operation.in_query:
        fields = [one for one in _sent(operation) if one.name not in operation.path_names]
        required = [one.name for one in fields if one.required]
        body = {
            "type": "object",
            "properties": {one.name: _schema(one, schemas) for one in fields},
            "required": required,
            "additionalProperties": False,
        }
        described["requestBody"] = {
            "required": bool(required),
            "content": {"application/json": {"schema": body}},
        }
    return described


def _sent(operation: Operation) -> list[CallParameter]:
    return list(operation.parameters.values())


def _parameters(operation: Operation, schemas: Schemas) -> list[dict[str, Any]]:
    listed = []
    for one in _sent(operation):
        in_path = one.name in operation.path_names
        if not (in_path or operation.in_query):
            continue
        schema = _schema(one, schemas)
        place = {"name": one.name, "in": "path" if in_path else "query", "required": one.required}
        if _is_scalar(schema):
            listed.append({**place, "schema": schema})
        else:  # an object is written as JSON
            listed.append({**place, "content": {"application/json": {"schema": schema}}})
    return listed


def _schema(one: CallParameter, schemas: Schemas) -> Schema:
    schema = schemas.of(one.annotation, sent=True)
    if one.name == "limit":
        schema = {"type": "integer", "minimum": 1, "maximum": PAGE_LIMIT}
    elif one.name == "offset":
        schema = {"type": "integer", "minimum": 0}
    if isinstance(one.default, str | int | float | bool) and one.default != "":
        schema = {**schema, "default": one.default}
    return schema


def _is_scalar(schema: Schema) -> bool:
    types = schema.get("type", [])
    kinds = {types} if isinstance(types, str) else set(types)
    for one in schema.get("anyOf", ()):
        kinds |= {one.get("type", "object")}
    return bool(kinds) and kinds <= {"string", "integer", "number", "boolean", "null"}


def _success(operation: Operation, schemas: Schemas) -> dict[str, Any]:
    if operation.answer is type(None):
        return {"204": {"description": "Done."}}
    schema = schemas.of(operation.answer, sent=False)
    if operation.paged:
        schema = {
            "type": "object",
            "properties": {
                "items": schema,
                "next": {
                    "type": ["integer", "null"],
                    "description": "The offset of the next page; null where this is the last.",
                },
            },
            "required": ["items", "next"],
        }
    return {
        "200": {"description": "The answer.", "content": {"application/json": {"schema": schema}}}
    }


def _summary(operation: Operation) -> str:
    first = (inspect.getdoc(operation.call) or operation.name).partition("\n\n")[0]
    return " ".join(first.replace("``", "").split())


_REFUSED = {"$ref": "#/components/responses/Problem"}


def _plain(
    name: str,
    summary: str,
    schema: Schema,
    more: Mapping[str, Any] | None = None,
    *,
    public: bool = False,
    media: str = "application/json",
) -> dict[str, Any]:
    described: dict[str, Any] = {
        "operationId": name,
        "summary": summary,
        "responses": {
            "200": {
                "description": "The answer.",
                "content": {media: {"schema": schema}},
            },
            "default": _REFUSED,
        },
        **(more or {}),
    }
    return {**described, "security": []} if public else described


_STATE = {"type": "object", "properties": {"status": {"type": "string"}}, "required": ["status"]}
_SESSION: Schema = {
    "type": "object",
    "description": "What a page may do, and the token that its writes carry.",
    "properties": {
        "csrf": {"type": "string"},
        "name": {"type": "string"},
        "scope": {"type": "string", "enum": ["read", "write", "admin"]},
        "spaces": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["csrf", "name", "scope", "spaces"],
}
_LOGIN = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {
                "schema": {
                    "type": "object",
                    "properties": {"token": {"type": "string"}},
                    "required": ["token"],
                    "additionalProperties": False,
                }
            }
        },
    }
}
_STREAM = {
    "parameters": [
        _SPACE,
        {"name": "Last-Event-ID", "in": "header", "required": False, "schema": {"type": "string"}},
        {"name": "type", "in": "query", "required": False, "schema": {"type": "string"}},
    ],
    "x-scope": "read",
}
_TEXT: Schema = {"type": "string"}
_SERVICE: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("/healthz", "get", _plain("health", "Whether the process is up.", _STATE, public=True)),
    ("/readyz", "get", _plain("ready", "Whether requests can be answered.", _STATE, public=True)),
    ("/openapi.json", "get", _plain("openapi", "This document.", {"type": "object"}, public=True)),
    (
        "/metrics",
        "get",
        _plain(
            "service_metrics", "Figures of every space, for Prometheus.", _TEXT,
            {"x-scope": "admin"}, media="text/plain",
        ),
    ),
    (
        "/v1/spaces",
        "get",
        _plain(
            "spaces",
            "The spaces that the token is for.",
            {"type": "array", "items": {"type": "string"}},
        ),
    ),
    (
        SPACE_PATH + "/events/stream",
        "get",
        _plain(
            "event_stream", "Events as they happen, as server-sent events.", _TEXT,
            _STREAM, media="text/event-stream",
        ),
    ),
    (
        "/session",
        "post",
        _plain("log_in", "Log a page in with a token.", _SESSION, _LOGIN, public=True),
    ),
    ("/session", "get", _plain("login", "The login of this page.", _SESSION)),
    ("/session", "delete", _plain("log_out", "End the login of this page.", _STATE)),
)  # fmt: skip
