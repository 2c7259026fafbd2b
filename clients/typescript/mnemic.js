// Written by `python -m scripts.typescript_client`; do not edit.

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
    this.#url = url.replace(/\/+$/, "");
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

  session(values = {}, options = {}) {
    return this.#send("POST", "/v1/spaces/{space}/sessions", [], values, options);
  }

  sessions(values = {}, options = {}) {
    return this.#send("GET", "/v1/spaces/{space}/sessions", [], values, options);
  }

  endSession(values, options = {}) {
    return this.#send("POST", "/v1/spaces/{space}/sessions/{session}/end", ["session"], values, options);
  }

  recent(values, options = {}) {
    return this.#send("GET", "/v1/spaces/{space}/sessions/{session}/recent", ["session"], values, options);
  }

  window(values, options = {}) {
    return this.#send("GET", "/v1/spaces/{space}/sessions/{session}/window", ["session"], values, options);
  }

  sessionTurns(values, options = {}) {
    return this.#send("GET", "/v1/spaces/{space}/sessions/{session}/turns", ["session"], values, options);
  }

  clear(values, options = {}) {
    return this.#send("POST", "/v1/spaces/{space}/sessions/{session}/clear", ["session"], values, options);
  }

  variables(values, options = {}) {
    return this.#send("GET", "/v1/spaces/{space}/sessions/{session}/variables", ["session"], values, options);
  }

  setVariables(values, options = {}) {
    return this.#send("PATCH", "/v1/spaces/{space}/sessions/{session}/variables", ["session"], values, options);
  }

  beforeCompression(values, options = {}) {
    return this.#send("POST", "/v1/spaces/{space}/sessions/{session}/compression", ["session"], values, options);
  }

  afterCompression(values, options = {}) {
    return this.#send("PUT", "/v1/spaces/{space}/episodes/{episode}/summary", ["episode"], values, options);
  }

  record(values, options = {}) {
    return this.#send("POST", "/v1/spaces/{space}/turns", [], values, options);
  }

  turns(values = {}, options = {}) {
    return this.#send("GET", "/v1/spaces/{space}/turns", [], values, options);
  }

  recordTurn(values, options = {}) {
    return this.#send("POST", "/v1/spaces/{space}/turns/value", [], values, options);
  }

  recordMany(values, options = {}) {
    return this.#send("POST", "/v1/spaces/{space}/turns/bulk", [], values, options);
  }

  turnsAround(values, options = {}) {
    return this.#send("GET", "/v1/spaces/{space}/sessions/{session}/turns/{index}", ["session", "index"], values, options);
  }

  attach(values, options = {}) {
    return this.#send("POST", "/v1/spaces/{space}/attachments", [], values, options);
  }

  attachments(values = {}, options = {}) {
    return this.#send("GET", "/v1/spaces/{space}/attachments", [], values, options);
  }

  describeAttachment(values, options = {}) {
    return this.#send("PATCH", "/v1/spaces/{space}/attachments/{id}", ["id"], values, options);
  }

  dailyEvents(values = {}, options = {}) {
    return this.#send("GET", "/v1/spaces/{space}/daily-events", [], values, options);
  }

  events(values = {}, options = {}) {
    return this.#send("GET", "/v1/spaces/{space}/events", [], values, options);
  }

  emit(values, options = {}) {
    return this.#send("POST", "/v1/spaces/{space}/events", [], values, options);
  }

  noteFailure(values, options = {}) {
    return this.#send("POST", "/v1/spaces/{space}/failures", [], values, options);
  }

  recordUsage(values, options = {}) {
    return this.#send("POST", "/v1/spaces/{space}/usage", [], values, options);
  }

  usage(values = {}, options = {}) {
    return this.#send("GET", "/v1/spaces/{space}/usage", [], values, options);
  }

  remember(values, options = {}) {
    return this.#send("POST", "/v1/spaces/{space}/memories", [], values, options);
  }

  memories(values = {}, options = {}) {
    return this.#send("GET", "/v1/spaces/{space}/memories", [], values, options);
  }

  addMany(values, options = {}) {
    return this.#send("POST", "/v1/spaces/{space}/memories/bulk", [], values, options);
  }

  putItem(values, options = {}) {
    return this.#send("PUT", "/v1/spaces/{space}/items/{project}/{key}", ["project", "key"], values, options);
  }

  propose(values, options = {}) {
    return this.#send("POST", "/v1/spaces/{space}/proposals", [], values, options);
  }

  get(values, options = {}) {
    return this.#send("GET", "/v1/spaces/{space}/memories/{id}", ["id"], values, options);
  }

  edit(values, options = {}) {
    return this.#send("PATCH", "/v1/spaces/{space}/memories/{id}", ["id"], values, options);
  }

  delete(values, options = {}) {
    return this.#send("DELETE", "/v1/spaces/{space}/memories/{id}", ["id"], values, options);
  }

  findId(values, options = {}) {
    return this.#send("GET", "/v1/spaces/{space}/ids/{prefix}", ["prefix"], values, options);
  }

  history(values, options = {}) {
    return this.#send("GET", "/v1/spaces/{space}/memories/{id}/history", ["id"], values, options);
  }

  archive(values, options = {}) {
    return this.#send("POST", "/v1/spaces/{space}/memories/{id}/archive", ["id"], values, options);
  }

  restore(values, options = {}) {
    return this.#send("POST", "/v1/spaces/{space}/memories/{id}/restore", ["id"], values, options);
  }

  reveal(values, options = {}) {
    return this.#send("POST", "/v1/spaces/{space}/memories/{id}/reveal", ["id"], values, options);
  }

  projects(values = {}, options = {}) {
    return this.#send("GET", "/v1/spaces/{space}/projects", [], values, options);
  }

  pending(values = {}, options = {}) {
    return this.#send("GET", "/v1/spaces/{space}/pending", [], values, options);
  }

  confirm(values, options = {}) {
    return this.#send("POST", "/v1/spaces/{space}/pending/{id}/confirm", ["id"], values, options);
  }

  ignore(values, options = {}) {
    return this.#send("POST", "/v1/spaces/{space}/pending/{id}/ignore", ["id"], values, options);
  }

  snooze(values, options = {}) {
    return this.#send("POST", "/v1/spaces/{space}/pending/{id}/snooze", ["id"], values, options);
  }

  noteShown(values, options = {}) {
    return this.#send("POST", "/v1/spaces/{space}/shown", [], values, options);
  }

  rollback(values, options = {}) {
    return this.#send("POST", "/v1/spaces/{space}/rollback", [], values, options);
  }

  episodes(values = {}, options = {}) {
    return this.#send("GET", "/v1/spaces/{space}/episodes", [], values, options);
  }

  scratchpad(options = {}) {
    return this.#send("GET", "/v1/spaces/{space}/scratchpad", [], {}, options);
  }

  writeScratchpad(values, options = {}) {
    return this.#send("PUT", "/v1/spaces/{space}/scratchpad", [], values, options);
  }

  setTask(values, options = {}) {
    return this.#send("PUT", "/v1/spaces/{space}/task", [], values, options);
  }

  recall(values, options = {}) {
    return this.#send("POST", "/v1/spaces/{space}/recall", [], values, options);
  }

  retrieve(values, options = {}) {
    return this.#send("POST", "/v1/spaces/{space}/retrieve", [], values, options);
  }

  evidence(values, options = {}) {
    return this.#send("POST", "/v1/spaces/{space}/evidence", [], values, options);
  }

  words(values, options = {}) {
    return this.#send("POST", "/v1/spaces/{space}/words", [], values, options);
  }

  context(values, options = {}) {
    return this.#send("POST", "/v1/spaces/{space}/context", [], values, options);
  }

  gate(values, options = {}) {
    return this.#send("POST", "/v1/spaces/{space}/gate", [], values, options);
  }

  jobs(values = {}, options = {}) {
    return this.#send("GET", "/v1/spaces/{space}/jobs", [], values, options);
  }

  redrive(values = {}, options = {}) {
    return this.#send("POST", "/v1/spaces/{space}/jobs/redrive", [], values, options);
  }

  discard(values, options = {}) {
    return this.#send("POST", "/v1/spaces/{space}/jobs/discard", [], values, options);
  }

  drain(values = {}, options = {}) {
    return this.#send("POST", "/v1/spaces/{space}/jobs/drain", [], values, options);
  }

  upkeep(values = {}, options = {}) {
    return this.#send("POST", "/v1/spaces/{space}/upkeep", [], values, options);
  }

  undoUpkeep(values, options = {}) {
    return this.#send("POST", "/v1/spaces/{space}/upkeep/undo", [], values, options);
  }

  waitingRules(options = {}) {
    return this.#send("GET", "/v1/spaces/{space}/rules/waiting", [], {}, options);
  }

  approveRule(values, options = {}) {
    return this.#send("POST", "/v1/spaces/{space}/rules/waiting/{event}/approve", ["event"], values, options);
  }

  onboarding(values = {}, options = {}) {
    return this.#send("POST", "/v1/spaces/{space}/onboarding", [], values, options);
  }

  onboard(values, options = {}) {
    return this.#send("POST", "/v1/spaces/{space}/onboarding/answers", [], values, options);
  }

  sync(options = {}) {
    return this.#send("POST", "/v1/spaces/{space}/documents/sync", [], {}, options);
  }

  questions(options = {}) {
    return this.#send("GET", "/v1/spaces/{space}/documents/questions", [], {}, options);
  }

  documents(options = {}) {
    return this.#send("GET", "/v1/spaces/{space}/documents", [], {}, options);
  }

  writeDocument(values, options = {}) {
    return this.#send("PUT", "/v1/spaces/{space}/documents/{name}", ["name"], values, options);
  }

  growth(values = {}, options = {}) {
    return this.#send("GET", "/v1/spaces/{space}/growth", [], values, options);
  }

  decayCurve(values, options = {}) {
    return this.#send("GET", "/v1/spaces/{space}/memories/{id}/decay", ["id"], values, options);
  }

  stats(options = {}) {
    return this.#send("GET", "/v1/spaces/{space}/stats", [], {}, options);
  }

  metrics(values = {}, options = {}) {
    return this.#send("GET", "/v1/spaces/{space}/metrics", [], values, options);
  }

  prometheus(options = {}) {
    return this.#send("GET", "/v1/spaces/{space}/metrics/prometheus", [], {}, options);
  }

  audit(options = {}) {
    return this.#send("GET", "/v1/spaces/{space}/audit", [], {}, options);
  }

  forget(values = {}, options = {}) {
    return this.#send("POST", "/v1/spaces/{space}/forget", [], values, options);
  }

  forgetSpace(values = {}, options = {}) {
    return this.#send("DELETE", "/v1/spaces/{space}", [], values, options);
  }

  accesses(values = {}, options = {}) {
    return this.#send("GET", "/v1/spaces/{space}/accesses", [], values, options);
  }

  devices(options = {}) {
    return this.#send("GET", "/v1/spaces/{space}/devices", [], {}, options);
  }

  doctor(values = {}, options = {}) {
    return this.#send("POST", "/v1/spaces/{space}/doctor", [], values, options);
  }

  repair(options = {}) {
    return this.#send("POST", "/v1/spaces/{space}/repair", [], {}, options);
  }

  settings(options = {}) {
    return this.#send("GET", "/v1/spaces/{space}/settings", [], {}, options);
  }
}
