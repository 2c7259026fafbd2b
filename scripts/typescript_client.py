"""A TypeScript client, written from the OpenAPI document: ``python -m
scripts.typescript_client clients/typescript``.

It is a module that node and browsers run as it is, and the declarations of its types. It has no
dependencies: one method for each operation, over ``fetch``.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mnemic.engine.remote.operations import OPERATIONS
from mnemic.engine.remote.wire import Schema
from mnemic.serve.http.openapi import openapi

_NOTE = "// Written by `python -m scripts.typescript_client`; do not edit.\n"
_TYPES = """
export declare class MnemicError extends Error {
  readonly status: number;
  readonly code: string;
  readonly remedy: string;
  constructor(problem: Partial<Problem>, status: number);
}

export interface Page<T> {
  items: T[];
  next: number | null;
}

export interface RequestOptions {
  signal?: AbortSignal;
  idempotencyKey?: string;
}

export interface ClientOptions {
  token?: string;
  space?: string;
  fetch?: typeof fetch;
}

"""
_CLIENT_TYPES = """
export declare class Mnemic {
  constructor(url: string, options?: ClientOptions);
  /** The same service, in another space. */
  inSpace(space: string): Mnemic;
  /** Every entry of a list, page by page. */
  pages<T, V>(list: (values?: V) => Promise<Page<T>>, values?: V): AsyncGenerator<T, void>;
"""
_CODE = """
export class MnemicError extends Error {
  constructor(problem, status) {
    super(problem.detail ?? problem.title ?? `HTTP status ${status}`);
    this.name = problem.code ?? "MnemicError";
    this.status = status;
    this.code = problem.code ?? "ServiceError";
    this.remedy = problem.remedy ?? "";
  }
}

export class Mnemic {
  #url;
  #token;
  #space;
  #fetch;

  constructor(url, options = {}) {
    this.#url = url.replace(/\\/+$/, "");
    this.#token = options.token ?? "";
    this.#space = options.space ?? "default";
    this.#fetch = options.fetch ?? globalThis.fetch.bind(globalThis);
  }

  inSpace(space) {
    return new Mnemic(this.#url, { token: this.#token, space, fetch: this.#fetch });
  }

  async *pages(list, values = {}) {
    let offset = values.offset ?? 0;
    while (offset !== null) {
      const page = await list.call(this, { ...values, offset });
      yield* page.items;
      offset = page.next;
    }
  }

  async #send(method, path, inPath, values, options) {
    const rest = { ...values };
    let address = path.replace("{space}", encodeURIComponent(this.#space));
    for (const name of inPath) {
      address = address.replace(`{${name}}`, encodeURIComponent(String(rest[name])));
      delete rest[name];
    }
    const headers = {};
    if (this.#token) headers.authorization = `Bearer ${this.#token}`;
    const request = { method, headers, signal: options.signal ?? null };
    if (method === "GET" || method === "DELETE") {
      const query = new URLSearchParams();
      for (const [name, value] of Object.entries(rest)) {
        if (value === undefined || value === null) continue;
        query.set(name, typeof value === "string" ? value : JSON.stringify(value));
      }
      if (query.size > 0) address += `?${query}`;
    } else {
      headers["content-type"] = "application/json";
      request.body = JSON.stringify(rest);
    }
    if (method !== "GET") {
      headers["idempotency-key"] = options.idempotencyKey ?? crypto.randomUUID();
    }
    const answer = await this.#fetch(this.#url + address, request);
    if (answer.status === 204) return undefined;
    const text = await answer.text();
    let body;
    try {
      body = JSON.parse(text);
    } catch {
      throw new MnemicError({ detail: "The answer is not JSON" }, answer.status);
    }
    if (!answer.ok) throw new MnemicError(body, answer.status);
    return body;
  }
"""


@dataclass(frozen=True, slots=True)
class ClientMethod:
    """One method: its declaration, and its code."""

    declared: str
    code: str


def declarations(document: Mapping[str, Any]) -> str:
    """The types: ``mnemic.d.ts``."""
    values = document["components"]["schemas"].items()
    interfaces = "\n".join(_interface(name, one) for name, one in values)
    methods = "".join(one.declared for one in _methods(document))
    return f"{_NOTE}{_TYPES}{interfaces}{_CLIENT_TYPES}{methods}}}\n"


def module(document: Mapping[str, Any]) -> str:
    """The code: ``mnemic.js``."""
    return f"{_NOTE}{_CODE}{''.join(one.code for one in _methods(document))}}}\n"


def _interface(name: str, schema: Schema) -> str:
    fields = [
        f"  {_key(field)}{'' if field in schema['required'] else '?'}: {_type(one)};\n"
        for field, one in schema["properties"].items()
    ]
    about = " ".join(schema.get("description", "").replace("``", "").split())
    return f"/** {about} */\nexport interface {name} {{\n{''.join(fields)}}}\n"


def _methods(document: Mapping[str, Any]) -> Iterator[ClientMethod]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            media = operation["responses"].get("200", {}).get("content", {"application/json": {}})
            if "{space}" in path and "application/json" in media:
                yield _method(path, method.upper(), operation)


def _method(path: str, method: str, operation: Mapping[str, Any]) -> ClientMethod:
    in_path, fields = [], {}
    for one in operation["parameters"]:
        if one["in"] == "header" or one["name"] == "space":
            continue
        if one["in"] == "path":
            in_path.append(one["name"])
        schema = one.get("schema") or one["content"]["application/json"]["schema"]
        fields[one["name"]] = schema, one["required"]
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
    for name, schema in body.get("schema", {}).get("properties", {}).items():
        fields[name] = schema, name in body["schema"]["required"]
    needed = any(required for _, required in fields.values())
    given = "; ".join(
        f"{_key(name)}{'' if required else '?'}: {_type(schema)}"
        for name, (schema, required) in fields.items()
    )
    values = f"values{'' if needed else '?'}: {{ {given} }}, " if fields else ""
    answer = operation["responses"].get("200")
    type_ = _answer(answer["content"]["application/json"]["schema"]) if answer else "void"
    name = _camel(operation["operationId"])
    declared = (
        f"\n  /** {operation['summary']} */\n"
        f"  {name}({values}options?: RequestOptions): Promise<{type_}>;\n"
    )
    taken = "values, " if needed else "values = {}, " if fields else ""
    sent = [json.dumps(method), json.dumps(path), json.dumps(in_path), "values" if fields else "{}"]
    code = (
        f"\n  {name}({taken}options = {{}}) {{\n"
        f"    return this.#send({', '.join(sent)}, options);\n  }}\n"
    )
    return ClientMethod(declared, code)


def _answer(schema: Schema) -> str:
    """A page is generic, so that it can be walked."""
    if set(schema.get("properties", ())) == {"items", "next"}:
        return f"Page<{_type(schema['properties']['items']['items'])}>"
    return _type(schema)


def _type(schema: Schema) -> str:  # noqa: PLR0911
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "anyOf" in schema:
        return " | ".join(dict.fromkeys(_type(one) for one in schema["anyOf"]))
    if "enum" in schema:
        return " | ".join(json.dumps(word) for word in schema["enum"])
    kind = schema.get("type")
    if isinstance(kind, list):
        return " | ".join(_type({"type": one}) for one in kind)
    if kind == "array":
        if "prefixItems" in schema:
            return f"[{', '.join(map(_type, schema['prefixItems']))}]"
        inner = _type(schema["items"])
        return f"({inner})[]" if " | " in inner else f"{inner}[]"
    if kind == "object":
        if "properties" in schema:
            inner = "; ".join(f"{_key(n)}: {_type(s)}" for n, s in schema["properties"].items())
            return f"{{ {inner} }}"
        rest = schema.get("additionalProperties", True)
        return f"Record<string, {'unknown' if rest is True else _type(rest)}>"
    return {
        "string": "string", "integer": "number", "number": "number", "boolean": "boolean",
        "null": "null",
    }.get(str(kind), "unknown")  # fmt: skip


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z_]\w*", name) else json.dumps(name)


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def write(folder: Path) -> None:
    """Write both files."""
    document = openapi(OPERATIONS)
    (folder / "mnemic.d.ts").write_text(declarations(document), "utf-8")
    (folder / "mnemic.js").write_text(module(document), "utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
