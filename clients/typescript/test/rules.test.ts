/** Each rule of what is sent again, against servers that answer as a test says. */

import assert from "node:assert/strict";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, test } from "node:test";
import { Client, Conflict, Entry, OutcomeUnknown, Refused, Unavailable } from "../src/index.js";
import type { ClientOptions, PutOptions, QuorateError } from "../src/index.js";

const VERSION = "01a1ffa680e10000-36c6c909";
const OTHER = "01a1ffa680e20000-36c6c909";

interface Request {
  method: string;
  url: URL;
  headers: IncomingHttpHeaders;
  body: string;
}

interface Reply {
  status: number;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  /** Breaks the connection in the middle of the body. */
  isCutOff?: boolean;
}

/** `lost` closes the connection after the request was read. */
type Answer = Reply | "lost" | ((request: Request) => Reply | "lost" | Promise<Reply>);

/** Gives its answers one after the other, and the last one for ever. */
class Node {
  readonly requests: Request[] = [];
  readonly server: Server;

  private constructor(answers: Answer[]) {
    const left = [...answers];
    this.server = createServer(async (message, response) => {
      const parts: Buffer[] = [];
      for await (const part of message) {
        parts.push(part as Buffer);
      }
      const { method = "", url = "", headers } = message;
      const request = { method, headers, url: new URL(url, "http://n"), body: `${Buffer.concat(parts)}` };
      this.requests.push(request);
      const chosen = left.length > 1 ? left.shift()! : left[0]!;
      const reply = typeof chosen === "function" ? await chosen(request) : chosen;
      if (reply === "lost") {
        message.socket.destroy();
        return;
      }
      response.writeHead(reply.status, reply.headers);
      if (reply.isCutOff) {
        response.write(reply.body, () => message.socket.destroy());
      } else {
        response.end(reply.body);
      }
    });
  }

  static async start(...answers: Answer[]): Promise<Node> {
    const node = new Node(answers);
    await new Promise<void>((resolve) => node.server.listen(0, "127.0.0.1", resolve));
    started.push(node);
    return node;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  versions(): (string | undefined)[] {
    return this.requests.map((each) => each.headers["x-quorate-version"] as string | undefined);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

let started: Node[] = [];

afterEach(async () => {
  await Promise.all(started.map((node) => node.stop()));
  started = [];
});

const problem = (status: number, headers: Record<string, string> = {}): Reply => ({
  status,
  headers: { "Content-Type": "application/problem+json", ...headers },
  body: status === 304 ? "" : JSON.stringify({ status, detail: "why" }),
});
const stored = (version = VERSION): Reply => ({ status: 201, headers: { "X-Quorate-Version": version } });
const found = (body: string | Uint8Array, headers: Record<string, string> = {}): Reply => ({
  status: 200,
  headers: { "X-Quorate-Version": VERSION, ...headers },
  body,
});
const PROXY: Reply = { status: 503, headers: { "Content-Type": "text/html" }, body: "<html>" };
const WRITES: Record<string, PutOptions> = {
  plain: {},
  conditional: { ifAbsent: true },
  ttl: { ifAbsent: true, ttlSeconds: 60 },
};

const BUSY = problem(503, { "Retry-After": "60" });

/** A client that asks the first node first, and has time on a busy machine. */
function connect(nodes: (Node | string)[], options: ClientOptions = {}): Client {
  const urls = nodes.map((node) => (typeof node === "string" ? node : node.url));
  const client = new Client(urls, { deadlineMs: 60_000, attemptTimeoutMs: 60_000, ...options });
  const avoided = (client as unknown as { avoided: Map<string, [number, number]> }).avoided;
  urls.slice(1).forEach((url) => avoided.set(url, [performance.now() + 3_600_000, 0]));
  return client;
}

/** An address at which nothing listens. */
async function unusedUrl(): Promise<string> {
  const node = await Node.start("lost");
  const url = node.url;
  await node.stop();
  started = started.filter((each) => each !== node);
  return url;
}

async function failure<T extends QuorateError>(
  promise: Promise<unknown>,
  type: new (...some: never[]) => T,
): Promise<T> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof type, String(error));
  assert.match(error.traceId, /^[0-9a-f]{32}$/);
  return error;
}

test("an entry", async () => {
  const node = await Node.start(
    found("ä", { "Content-Type": "text/plain", "X-Quorate-Expires": "1500" }),
  );
  const key = Uint8Array.of(0xff, 0x61, 0x20, 0x62);
  const entry = await connect([node]).get(key, { replicas: "2/3", linearizable: true });
  assert.deepEqual(entry, new Entry(key, "ä", VERSION, "text/plain", new Date(1500)));
  assert.equal(entry?.text(), "ä");
  assert.equal(node.requests[0]!.url.search, "?id=%FFa%20b&replicas=2/3&consistency=linearizable");
});

test("absence is the answer of a node only", async () => {
  const node = await Node.start(problem(404));
  assert.equal(await connect([node]).get("k"), undefined);
  const proxy = await Node.start({ status: 404, body: "<html>" });
  const other = await Node.start(found("x"));
  assert.equal((await connect([proxy, other]).get("k"))?.text(), "x");
  assert.equal(proxy.requests.length, 1);
});

test("a read asks another node after any failure", async () => {
  const failures: Answer[] = [
    "lost",
    PROXY,
    { ...found("0123456789", { "Content-Length": "20" }), isCutOff: true },
    { ...found("0123456789"), isCutOff: true },
    ...[503, 504, 429, 500].map((status) => problem(status)),
    { status: 301, headers: { Location: "http://127.0.0.1:1/" } },
    { status: 200, body: "no version" },
    { status: 304 },
  ];
  for (const each of failures) {
    const bad = await Node.start(each);
    const node = await Node.start(found("x"));
    assert.equal((await connect([bad, node]).get("k"))?.text(), "x", JSON.stringify(each));
    assert.equal(bad.requests.length, 1);
  }
});

test("a refused read, and one that is too large", async () => {
  const node = await Node.start(problem(400), found(new Uint8Array((64 << 20) + 1)));
  const client = connect([node]);
  const refused = await failure(client.get("k"), Refused);
  assert.deepEqual([refused.status, refused.detail], [400, "why"]);
  assert.equal((await failure(client.get("k"), Refused)).status, 0);
  assert.equal(node.requests.length, 2);
});

test("the deadline, with all nodes down", async () => {
  const client = connect([await unusedUrl(), await unusedUrl()], { deadlineMs: 1_000 });
  assert.match((await failure(client.get("k"), Unavailable)).message, /cannot be reached/);
  await failure(client.put("k", "v"), Unavailable);
});

test("a slow node", async () => {
  let release = () => {};
  const until = new Promise<void>((resolve) => (release = resolve));
  const slow = await Node.start(async () => (await until, found("late")));
  const node = await Node.start(found("x"));
  const client = connect([slow, node], { attemptTimeoutMs: 100 });
  assert.equal((await client.get("k"))?.text(), "x");
  release();
});

test("Retry-After", async () => {
  const [one, two] = [await Node.start(BUSY), await Node.start(BUSY)];
  await failure(connect([one, two]).get("k"), Unavailable);
  assert.deepEqual([one.requests.length, two.requests.length], [1, 1]);
  const node = await Node.start(problem(503, { "Retry-After": "1" }), found("x"));
  const begin = performance.now();
  assert.ok(await connect([node]).get("k"));
  assert.ok(performance.now() - begin >= 999);
});

test("a wait", async () => {
  const same = await Node.start({ status: 304 });
  const nothing = { changed: false, entry: undefined };
  assert.deepEqual(await connect([same]).awaitChange("k", VERSION, 10), nothing);
  assert.equal(same.requests[0]!.headers["if-none-match"], `"${VERSION}"`);
  assert.match(same.requests[0]!.url.search, /&wait=[0-9]+ms$/);
  const node = await Node.start("lost", found("x"));
  const awaited = await connect([node]).awaitChange("k", OTHER, 20_000);
  assert.deepEqual([awaited.changed, awaited.entry?.text()], [true, "x"]);
  const client = connect([await Node.start(problem(404))]);
  assert.deepEqual(await client.awaitChange("k", VERSION, 10), { ...nothing, changed: true });
  assert.deepEqual(await client.awaitChange("k", undefined, 10), nothing);
});

test("a trace", async () => {
  const own = `00-${"1".repeat(32)}-${"2".repeat(16)}-01`;
  const node = await Node.start("lost", found("x"));
  const client = connect([node]);
  await client.get("k");
  await client.get("k");
  await client.get("k", { traceparent: own });
  const traces = node.requests.map((each) => each.headers.traceparent);
  assert.equal(traces[0], traces[1]);
  assert.notEqual(traces[1], traces[2]);
  assert.equal(traces[3], own);
});

test("a write of which nothing was sent or attempted", async () => {
  for (const [name, options] of Object.entries(WRITES)) {
    const node = await Node.start(problem(503), problem(429), stored());
    assert.equal(await connect([await unusedUrl(), node]).put("k", "v", options), VERSION);
    assert.equal(node.requests.length, 3);
    assert.equal(new Set(node.versions()).size, 1);
    assert.equal(node.versions()[0] === undefined, name !== "conditional");
  }
  const node = await Node.start(BUSY);
  await failure(connect([node]).put("k", "v"), Unavailable);
});

test("a write whose answer is lost", async () => {
  const failures: Answer[] = [
    "lost",
    PROXY,
    problem(500),
    { status: 201 },
    { status: 302, headers: { Location: "/" } },
  ];
  for (const each of failures) {
    for (const name of ["plain", "ttl"]) {
      const [bad, node] = [await Node.start(each), await Node.start(stored())];
      const put = connect([bad, node]).put("k", "v", WRITES[name]);
      assert.equal((await failure(put, OutcomeUnknown)).version, undefined);
      assert.deepEqual([bad.requests.length, node.requests.length], [1, 0]);
    }
    const [bad, node] = [await Node.start(each), await Node.start(stored())];
    await connect([bad, node]).put("k", "v", { ifAbsent: true });
    assert.deepEqual(node.versions(), bad.versions());
    assert.equal(node.requests[0]!.headers["if-none-match"], "*");
  }
});

test("a version that the client chooses", async () => {
  const before = Math.floor(Date.now() / 1000) * 1000;
  const node = await Node.start(stored());
  const client = connect([node]);
  await client.put("k", "v", { ifMatch: VERSION });
  await client.delete("k", { ifMatch: VERSION });
  const versions = node.versions();
  assert.notEqual(versions[0], versions[1]);
  for (const version of versions) {
    assert.match(String(version), /^[0-9a-f]{16}-[0-9a-f]{8}$/);
    const millis = parseInt(String(version).slice(0, 12), 16);
    assert.ok(millis % 1000 === 0 && before <= millis && millis <= Date.now());
  }
  assert.equal(node.requests[0]!.headers["if-match"], `"${VERSION}"`);
});

test("the version of a 504", async () => {
  for (const [name, options] of Object.entries(WRITES)) {
    const node = await Node.start(problem(504, { "X-Quorate-Version": OTHER }), "lost", stored(OTHER));
    assert.equal(await connect([node]).put("k", "v", options), OTHER);
    const [one, two, three] = node.versions();
    assert.equal(two, name === "conditional" ? one : OTHER);
    assert.equal(three, two);
  }
  const node = await Node.start(problem(504), stored());
  await connect([node]).put("k", "v");
  assert.deepEqual(node.versions(), [undefined, undefined]);
});

test("an unknown outcome with a version", async () => {
  const indeterminate = problem(504, { "X-Quorate-Version": OTHER });
  const client = connect([await Node.start(indeterminate, BUSY)]);
  assert.equal((await failure(client.delete("k"), OutcomeUnknown)).version, OTHER);
  const late = await Node.start(indeterminate, problem(409));
  await failure(connect([late]).put("k", "v"), OutcomeUnknown);
  const node = await Node.start("lost", stored(OTHER));
  await connect([node]).put("k", "v", { version: OTHER });
  assert.deepEqual(node.versions(), [OTHER, OTHER]);
});

test("a conflict", async () => {
  const node = await Node.start(problem(412, { "X-Quorate-Version": OTHER }), problem(412));
  const client = connect([node]);
  assert.equal((await failure(client.put("k", "v", { ifMatch: VERSION }), Conflict)).version, OTHER);
  assert.equal((await failure(client.delete("k", { ifMatch: "*" }), Conflict)).version, undefined);
  assert.equal(node.requests[1]!.headers["if-match"], "*");
});

test("a wrong clock", async () => {
  const node = await Node.start(problem(409), stored());
  await connect([node]).put("k", "v", { ifAbsent: true });
  assert.equal(node.versions()[1], undefined);
});

test("a refused write", async () => {
  // Not 421, after which fetch sends the request again by itself, and fails.
  for (const status of [400, 401, 403, 409, 413, 414, 415]) {
    const node = await Node.start(problem(status));
    assert.equal((await failure(connect([node]).put("k", "v"), Refused)).status, status);
  }
});

test("a request", async () => {
  const node = await Node.start(stored());
  const client = connect([node.url + "/"], { token: "secret" });
  await client.put("ä", "ö", { ttlSeconds: 60, contentType: "text/plain", replicas: "3/3" });
  await client.put("k", new Uint8Array());
  const [one, two] = node.requests;
  assert.equal(one!.url.search, "?id=%C3%A4&replicas=3/3&ttl=60");
  assert.deepEqual([one!.method, one!.body], ["PUT", "ö"]);
  assert.equal(one!.headers["content-type"], "text/plain");
  assert.equal(one!.headers.authorization, "Bearer secret");
  assert.deepEqual([two!.body, two!.headers["content-type"]], ["", undefined]);
});

test("bad arguments", async () => {
  const client = new Client(["http://127.0.0.1:1"]);
  for (const call of [
    () => client.put("", "v"),
    () => client.put("k".repeat(1025), "v"),
    () => client.put("\ud800", "v"),
    () => client.put("k", "v", { ifMatch: VERSION, ifAbsent: true }),
    () => client.put("k", "v", { ifMatch: '"x"' }),
    () => client.put("k", "v", { version: "1" }),
    () => client.put("k", "v", { contentType: "a\nb" }),
    () => client.get("k", { traceparent: "x" }),
    () => client.entries({ prefix: "a", start: "b" }).next(),
    async () => new Client([]),
    async () => new Client(["localhost:8080"]),
    async () => new Client(["http://a/b"]),
    async () => new Client(["http://a"], { token: "a b" }),
    async () => new Client(["http://a"], { deadlineMs: 0 }),
  ]) {
    await assert.rejects(call, (e) => e instanceof TypeError || e instanceof RangeError, `${call}`);
  }
});

/** One register with conditional writes, some of whose answers are lost. */
class Cluster {
  value: string | undefined;
  version = "";
  readonly made = new Map<string, boolean>();
  losses = 20;

  answer(request: Request): Reply | "lost" {
    if (request.method === "GET") {
      const isAbsent = this.value === undefined;
      return isAbsent ? problem(404) : found(this.value!, { "X-Quorate-Version": this.version });
    }
    const version = String(request.headers["x-quorate-version"]);
    if (!this.made.has(version)) {
      const isMade = (request.headers["if-match"] ?? "").replaceAll('"', "") === this.version;
      this.made.set(version, isMade);
      if (isMade) {
        this.value = request.body;
        this.version = version;
        if (this.losses-- > 0) {
          return "lost";
        }
      }
    }
    return this.made.get(version) ? stored(version) : problem(412);
  }
}

const increment = (entry: Entry | undefined) => String(entry ? Number(entry.text()) + 1 : 1);

test("updates under contention", async () => {
  const cluster = new Cluster();
  const nodes = [await Node.start((r) => cluster.answer(r)), await Node.start((r) => cluster.answer(r))];
  const client = connect(nodes);
  const run = async () => {
    for (let i = 0; i < 20; i++) {
      await client.update("k", increment);
    }
  };
  await Promise.all([run(), run(), run(), run()]);
  assert.equal(cluster.value, "80");
  assert.equal([...cluster.made.values()].filter(Boolean).length, 80);
});

test("the result of an update", async () => {
  const node = await Node.start(found("1", { "Content-Type": "text/plain" }), stored(OTHER));
  const entry = await connect([node]).update("k", async (old) => old!.text() + "2");
  assert.deepEqual(entry, new Entry("k", "12", OTHER, "text/plain"));
  const [get, put] = node.requests;
  assert.equal(put!.headers["if-match"], `"${VERSION}"`);
  assert.equal(put!.headers["content-type"], "text/plain");
  assert.equal(get!.headers.traceparent, put!.headers.traceparent);
  const same = await Node.start(found("1"));
  assert.equal((await connect([same]).update("k", () => undefined))?.text(), "1");
  assert.equal(same.requests.length, 1);
});

test("an update that is always slower", async () => {
  const node = await Node.start((request) => (request.method === "GET" ? found("1") : problem(412)));
  await failure(connect([node], { deadlineMs: 2_000 }).update("k", () => "2"), Conflict);
  assert.ok(node.requests.length > 2);
});

function page(keys: string[], cursor?: string): Reply {
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  const lines: object[] = keys.map((key) => ({
    key: base64(key),
    value: base64(`v${key}`),
    version: VERSION,
  }));
  if (cursor !== undefined) {
    lines.push({ cursor });
  }
  return { status: 200, body: lines.map((line) => JSON.stringify(line) + "\n").join("") };
}

async function keys(entries: AsyncIterable<Entry>): Promise<string[]> {
  const all: string[] = [];
  for await (const entry of entries) {
    all.push(`${entry.keyText()}=${entry.text()}`);
  }
  return all;
}

test("pages", async () => {
  const node = await Node.start(page(["a", "b"], "x+y"), page([], "z"), page(["c"]));
  const client = connect([node]);
  const entries = client.entries({ start: "a", end: Uint8Array.of(0xff), replicas: "1/3" });
  assert.deepEqual(await keys(entries), ["a=va", "b=vb", "c=vc"]);
  const queries = node.requests.map((each) => each.url.searchParams);
  assert.deepEqual(queries.map((each) => each.get("cursor")), ["", "x+y", "z"]);
  assert.match(node.requests[0]!.url.search, /&start=a&end=%FF$/);
  assert.equal(queries[0]!.get("limit"), "256");
  assert.equal(new Set(node.requests.map((each) => each.headers.traceparent)).size, 1);
});

test("limit, order and bounds of a range", async () => {
  const node = await Node.start(page(["c", "b"], "x"), page(["a"], "y"), page([]));
  const client = connect([node]);
  const entries = client.entries({ prefix: "", limit: 3, reverse: true, keysOnly: true });
  assert.deepEqual(await keys(entries), ["c=", "b=", "a="]);
  assert.deepEqual(await keys(client.entries()), []);
  assert.deepEqual(await keys(client.entries({ end: "b" })), []);
  const queries = node.requests.map((each) => each.url.searchParams);
  assert.deepEqual(queries.map((each) => each.get("limit")), ["3", "1", "256", "256"]);
  assert.match(node.requests[0]!.url.search, /&reverse=1&keys=only&prefix=$/);
  assert.deepEqual([queries[2]!.get("prefix"), queries[3]!.get("start")], ["", "\0"]);
});

test("a bad page", async () => {
  const bodies = [
    "{\n",
    "[]\n",
    "null\n",
    '{"key":1}\n',
    `{"key":"YQ==","value":"*","version":"${VERSION}"}\n`,
    '{"cursor":"a"}\n{}\n',
    "[".repeat(100_000) + "\n",
    ...[page(["b", "a"]), page(["a", "a"]), page(["a", "b", "c"])].map((each) => String(each.body)),
    String(page(["a"]).body).slice(0, -1),
  ];
  for (const body of bodies) {
    const [bad, node] = [await Node.start({ status: 200, body }), await Node.start(page(["a", "b"]))];
    const entries = connect([bad, node]).entries({ limit: 2 });
    assert.deepEqual(await keys(entries), ["a=va", "b=vb"], body.slice(0, 99));
    assert.equal(bad.requests.length, 1);
  }
});

test("a page that is too large", async () => {
  const node = await Node.start(({ url }) =>
    Number(url.searchParams.get("limit")) < 200 ? page(["a"]) : found(new Uint8Array((64 << 20) + 1)),
  );
  const client = connect([node]);
  assert.deepEqual(await keys(client.entries()), ["a=va"]);
  assert.deepEqual(node.requests.map((each) => each.url.searchParams.get("limit")), ["256", "128"]);
});
