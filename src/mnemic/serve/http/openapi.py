"""The OpenAPI 3.1 document of the service, made of the table of operations."""

from __future__ import annotations

import functools
import inspect
import json
from collections.abc import Iterable
from importlib.resources import files
from typing import Any

from mnemic import __version__
from mnemic.engine.remote.operations import PAGE_LIMIT, SPACE_PATH, Operation
from mnemic.engine.remote.wire import Schema, Schemas

_SPACE = {"name": "space", "in": "path", "required": True, "schema": {"type": "string"}}
_KEY = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "description": "A request that is repeated with the same key is done once.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 255},
}


def openapi(operations: Iterable[Operation]) -> dict[str, Any]:
    """The whole document; what does not follow from the operations is in service.json."""
    document = _read("service.json")
    document["info"]["version"] = __version__
    extra = [{"name": "service", "description": "The service itself: probes, figures, logins."}]
    tags = _read("described.json")["tags"].items()
    document["tags"] = [{"name": tag, "description": of["description"]} for tag, of in tags] + extra
    schemas = Schemas()
    paths: dict[str, dict[str, Any]] = {}
    for operation in operations:
        path = paths.setdefault(SPACE_PATH + operation.path, {})
        path[operation.method.lower()] = _operation(operation, schemas)
    document["paths"] = {**paths, **document["paths"]}
    components = document["components"]
    components["schemas"] = dict(sorted({**schemas.components, **components["schemas"]}.items()))
    return document


@functools.cache
def _read(name: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(files(__package__).joinpath(name).read_bytes())
    return document


def _operation(operation: Operation, schemas: Schemas) -> dict[str, Any]:
    tags = _read("described.json")["tags"].items()
    text = (inspect.getdoc(operation.call) or operation.name).replace("``", "")
    summary, description = (" ".join(words.split()) for words in (text.partition("\n\n")[0], text))
    described: dict[str, Any] = {
        "operationId": operation.name,
        "tags": [tag for tag, of in tags if operation.name in of["operations"]],
        "summary": summary,
        "description": description,
        "x-scope": operation.scope,
        "parameters": [_SPACE, *_parameters(operation, schemas)],
        "responses": {**_success(operation, schemas), "default": _REFUSED},
    }
    if operation.method != "GET" and operation.scope != "read":
        described["parameters"].append(_KEY)
    if not operation.in_query:
        in_path = operation.path_names
        fields = [name for name in operation.parameters if name not in in_path]
        required = [name for name in operation.required if name not in in_path]
        body = {
            "type": "object",
            "properties": {name: _schema(name, operation, schemas) for name in fields},
            "required": required,
            "additionalProperties": False,
        }
        content: dict[str, Any] = {"schema": body}
        example = _read("described.json")["examples"].get(operation.name)
        if example is not None:
            content["example"] = example
        described["requestBody"] = {
            "required": bool(required),
            "content": {"application/json": content},
        }
    return described


def _parameters(operation: Operation, schemas: Schemas) -> list[dict[str, Any]]:
    listed = []
    for name in operation.parameters:
        in_path = name in operation.path_names
        if not (in_path or operation.in_query):
            continue
        schema, required = _schema(name, operation, schemas), name in operation.required
        place = {"name": name, "in": "path" if in_path else "query", "required": required}
        if _is_scalar(schema):
            listed.append({**place, "schema": schema})
        else:  # an object is written as JSON
            listed.append({**place, "content": {"application/json": {"schema": schema}}})
    return listed


def _schema(name: str, operation: Operation, schemas: Schemas) -> Schema:
    field = operation.parameters[name]
    schema = schemas.of(field.annotation, sent=True)
    if name == "limit":
        schema = {"type": "integer", "minimum": 1, "maximum": PAGE_LIMIT}
    elif name == "offset":
        schema = {"type": "integer", "minimum": 0}
    if isinstance(field.default, str | int | float | bool) and field.default != "":
        schema = {**schema, "default": field.default}
    return {**schema, "description": _read("described.json")["parameters"][name]}


def _is_scalar(schema: Schema) -> bool:
    types = schema.get("type", [])
    kinds = {types} if isinstance(types, str) else set(types)
    for option in schema.get("anyOf", ()):
        kinds |= {option.get("type", "object")}
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


_REFUSED = {"$ref": "#/components/responses/Problem"}
