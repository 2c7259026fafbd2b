// The official TypeScript SDK, driven line by line: one request as JSON, one answer as JSON.
import { createInterface } from "node:readline";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [modules, command, ...args] = process.argv.slice(2);
const require = createRequire(pathToFileURL(modules + "/"));
const load = (name) => import(pathToFileURL(require.resolve("@modelcontextprotocol/sdk/" + name)));
const { Client } = await load("client/index.js");
const { StdioClientTransport } = await load("client/stdio.js");

const client = new Client({ name: "mnemic-test", version: "1.0.0" });
await client.connect(new StdioClientTransport({ command, args, env: process.env, stderr: "inherit" }));

const names = { "tools/list": "listTools", "tools/call": "callTool", "resources/read": "readResource" };
for await (const line of createInterface({ input: process.stdin })) {
  const { method, params } = JSON.parse(line);
  let answer;
  try {
    answer = { result: await client[names[method]](params) };
  } catch (error) {
    answer = { error: String(error.message) };
  }
  process.stdout.write(JSON.stringify(answer) + "\n");
}
await client.close();
