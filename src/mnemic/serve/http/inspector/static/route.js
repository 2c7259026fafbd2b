// The address of what is shown: #/SPACE/PAGE/ID?filters. It can be kept and passed on.

export function route() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const [space = "", page = "", id = ""] = path.split("/").map(decoded);
  return { space, page, id, query: Object.fromEntries(new URLSearchParams(query)) };
}

function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export function address(space, page, id = "", query = {}) {
  const parts = [space, page, id].filter((part) => part !== "").map(encodeURIComponent);
  const given = Object.entries(query).filter(([, value]) => value !== "" && value !== undefined && value !== null);
  return `#/${parts.join("/")}${given.length ? `?${new URLSearchParams(given)}` : ""}`;
}

export function go(space, page, id, query) {
  location.hash = address(space, page, id, query);
}
