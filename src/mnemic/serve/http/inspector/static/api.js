// The HTTP API with the login of the page. A refusal is a Problem, with its remedy.

export class Problem extends Error {
  constructor(status, body) {
    super(body.detail || body.title || `HTTP ${status}`);
    this.status = status;
    this.remedy = body.remedy ?? "";
    this.code = body.code ?? "";
  }
}

const ORDER = ["read", "write", "admin"];
let login = null;

async function send(method, address, body) {
  const headers = {};
  if (login && method !== "GET") headers["x-csrf-token"] = login.csrf;
  if (body !== undefined) headers["content-type"] = "application/json";
  let response;
  try {
    response = await fetch(address, {
      method, headers, credentials: "same-origin", redirect: "error", keepalive: method === "DELETE",
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch (error) {
    throw new Problem(0, { code: "Unreachable", detail: String(error.message ?? error) });
  }
  if (response.status === 204) return null;
  const text = await response.text();
  let value = {};
  try {
    value = text ? JSON.parse(text) : {};
  } catch {
    value = { detail: text.slice(0, 300) };
  }
  if (response.ok) return value;
  if (response.status === 401 && login) {
    login = null;
    window.dispatchEvent(new Event("mnemic:login"));
  }
  throw new Problem(response.status, value);
}

function filled(query) {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== "" && value !== null);
  return given.length ? `?${new URLSearchParams(given)}` : "";
}

export async function currentLogin() {
  try {
    login = await send("GET", "/session");
  } catch (error) {
    if (error.status !== 401 && error.status !== 404) throw error;
    login = null;
  }
  return login;
}

export async function logIn(token) {
  login = await send("POST", "/session", { token });
  return login;
}

export async function logOut() {
  await send("DELETE", "/session");
  login = null;
}

export function spaces() {
  return send("GET", "/v1/spaces");
}

export function can(scope) {
  return login !== null && ORDER.indexOf(scope) <= ORDER.indexOf(login.scope);
}

// Whether the whole database may be asked about, not only some of its spaces.
export function everywhere() {
  return login !== null && login.spaces.includes("*");
}

// The calls of one space.
export function api(space) {
  const base = `/v1/spaces/${encodeURIComponent(space)}`;
  const at = (...parts) => base + parts.map((part) => `/${encodeURIComponent(part)}`).join("");
  return {
    space,
    get: (parts, query = {}) => send("GET", at(...[parts].flat()) + filled(query)),
    post: (parts, body = {}) => send("POST", at(...[parts].flat()), body),
    put: (parts, body) => send("PUT", at(...[parts].flat()), body),
    patch: (parts, body) => send("PATCH", at(...[parts].flat()), body),
    remove: (parts) => send("DELETE", at(...[parts].flat())),
  };
}
