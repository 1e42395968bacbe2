/**
 * A client of Quorate, a replicated key-value store that speaks HTTP.
 *
 * Each operation ends by its deadline. If a node fails, it asks another one: reads always, and
 * writes only if this can neither overwrite a later write nor apply a condition twice.
 *
 * @module
 */

import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { Attempt, isVersion, send, type Fetch, type Request } from "./http.js";

/** 1 to 1,024 bytes; text is encoded in UTF-8. */
export type Key = string | Uint8Array;

/** A key with its value. */
export class Entry {
  readonly key: Uint8Array;
  /** Empty in a range of keys only. */
  readonly value: Uint8Array;
  /** Of one key, the larger text is the newer version. */
  readonly version: string;
  readonly contentType: string | undefined;
  /** Undefined if the value does not expire. */
  readonly expires: Date | undefined;

  constructor(key: Key, value: Key, version: string, contentType?: string, expires?: Date) {
    this.key = bytes(key);
    this.value = bytes(value);
    this.version = version;
    this.contentType = contentType;
    this.expires = expires;
  }

  /** The value as text in UTF-8. */
  text(): string {
    return new TextDecoder().decode(this.value);
  }

  /** The key as text in UTF-8. */
  keyText(): string {
    return new TextDecoder().decode(this.key);
  }
}

/** An operation failed. */
export class QuorateError extends Error {
  /** Finds the operation in the logs of nodes. */
  readonly traceId: string;

  constructor(message: string, traceId: string) {
    super(message);
    this.name = new.target.name;
    this.traceId = traceId;
  }
}

/** No node could do it before the deadline. A write is not stored, and will not be. */
export class Unavailable extends QuorateError {}

/** Every node would refuse it. A write is not stored. */
export class Refused extends QuorateError {
  /** The HTTP status, 400 to 499; 0 if an answer is longer than 64 MiB. */
  readonly status: number;
  readonly detail: string;

  constructor(message: string, traceId: string, attempt: Attempt) {
    super(message, traceId);
    this.status = attempt.status;
    this.detail = attempt.failure ?? attempt.detail;
  }
}

/** The condition of a write does not hold, and the write is not stored. */
export class Conflict extends QuorateError {
  /** The current version; undefined if the key has no value, or if it is not known. */
  readonly version: string | undefined;

  constructor(message: string, traceId: string, version: string | undefined) {
    super(message, traceId);
    this.version = version;
  }
}

/** A write may be stored, now, later or never. Do not send it again as a new write. */
export class OutcomeUnknown extends QuorateError {
  /**
   * With this version, if there is one, the same write can be sent again for up to three hours
   * (`put(…, { version })`). It then takes effect once, and supersedes nothing newer.
   */
  readonly version: string | undefined;

  constructor(message: string, traceId: string, version: string | undefined) {
    super(message, traceId);
    this.version = version;
  }
}

export interface ClientOptions {
  /** The access token for nodes with a `token-file`. */
  token?: string;
  /** The time of an operation; 5,000 by default. */
  deadlineMs?: number;
  /** The time of a request that can be sent to another node; 2,000 by default. */
  attemptTimeoutMs?: number;
  /** Sends requests; the global `fetch` by default. */
  fetch?: Fetch;
}

export interface ReadOptions {
  /** `"ACK/FROM"`; a majority of three by default. */
  replicas?: string | undefined;
  /** Whether the key is an atomic register. */
  linearizable?: boolean | undefined;
  /** W3C Trace Context, version 00; a new one for each operation by default. */
  traceparent?: string | undefined;
}

export interface DeleteOptions extends ReadOptions {
  /** The write is made only if the key has this version; `"*"` for any value. */
  ifMatch?: string | undefined;
  /** The version of an `OutcomeUnknown`, to send the same write again. */
  version?: string | undefined;
}

export interface PutOptions extends DeleteOptions {
  /** The write is made only if the key has no value. */
  ifAbsent?: boolean | undefined;
  /** The value expires after this time, in whole seconds. */
  ttlSeconds?: number | undefined;
  contentType?: string | undefined;
}

export interface UpdateOptions {
  replicas?: string | undefined;
  contentType?: string | undefined;
  traceparent?: string | undefined;
}

export interface RangeOptions {
  /** Excludes `start` and `end`. */
  prefix?: Key;
  /** The first key, included. */
  start?: Key;
  /** The end, excluded. */
  end?: Key;
  /** The maximum number of entries. */
  limit?: number;
  /** Descending order of keys. */
  reverse?: boolean;
  /** Leaves the values out. */
  keysOnly?: boolean;
  replicas?: string;
  traceparent?: string;
}

/** The result of a wait. */
export interface Awaited {
  /** False if the time passed first. */
  changed: boolean;
  /** Undefined if nothing has changed, or the key has no value any more. */
  entry: Entry | undefined;
}

const TRACE = /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;
/** With less time left a write would only have an unknown outcome. */
const SHORTEST_ATTEMPT_MS = 20;
/** Nodes wait up to 55 s; a node that vanishes is noticed after this. */
const LONGEST_WAIT_MS = 25_000;
const FIRST_PAGE = 256;
const PAGE_BYTES = 4 << 20;

/** The deadline, the trace and the failures of one operation. */
class Operation {
  readonly traceparent: string;
  readonly traceId: string;
  readonly failures = new Map<string, string>();
  private readonly until: number;

  constructor(ms: number, traceparent: string | undefined) {
    const own = () => `00-${randomBytes(16).toString("hex")}-${randomBytes(8).toString("hex")}-00`;
    this.traceparent = traceparent ?? own();
    if (!TRACE.test(this.traceparent)) {
      throw new TypeError(`This is not a traceparent: '${traceparent}'.`);
    }
    this.traceId = this.traceparent.slice(3, 35);
    this.until = performance.now() + ms;
  }

  left(): number {
    return this.until - performance.now();
  }

  /** Pauses at random, longer each time, or returns false if the time does not suffice. */
  async pause(rounds: number, least = 0): Promise<boolean> {
    const most = Math.min(500, 10 * 2 ** Math.min(rounds, 10));
    const ms = Math.max(least, (most / 2) * (1 + Math.random()));
    if (ms >= this.left()) {
      return false;
    }
    await sleep(ms);
    return true;
  }

  message(sentence: string): string {
    return [sentence, ...[...this.failures].map((each) => each.join(" "))].join("\n");
  }
}

/** Text in UTF-8. A text that is not well-formed would become another one. */
function bytes(value: Key): Uint8Array {
  if (typeof value !== "string") {
    return value;
  }
  if (/\p{Surrogate}/u.test(value)) {
    throw new TypeError("A text has a surrogate without its other half.");
  }
  return new TextEncoder().encode(value);
}

function encoded(value: Key): string {
  const hex = (each: number) => "%" + each.toString(16).toUpperCase().padStart(2, "0");
  const isPlain = (each: number) => /[A-Za-z0-9._~-]/.test(String.fromCharCode(each));
  const texts = Array.from(bytes(value), (b) => (isPlain(b) ? String.fromCharCode(b) : hex(b)));
  return texts.join("");
}

/** Unique. The second that has begun is not ahead of the nodes' clocks. */
function newVersion(): string {
  const second = Math.floor(Date.now() / 1000) * 1000;
  const digits = second.toString(16).padStart(12, "0") + randomBytes(6).toString("hex");
  return `${digits.slice(0, 16)}-${digits.slice(16)}`;
}

function version(text: string): string {
  if (!isVersion(text)) {
    throw new TypeError(`This is not a version: '${text}'.`);
  }
  return text;
}

function replicas(text: string | undefined): string {
  return text === undefined ? "" : `&replicas=${encodeURIComponent(text).replaceAll("%2F", "/")}`;
}

function target(key: Key, options: ReadOptions): string {
  const length = bytes(key).length;
  if (length < 1 || length > 1024) {
    throw new RangeError(`A key has 1 to 1,024 bytes, not ${length}.`);
  }
  const consistency = options.linearizable ? "&consistency=linearizable" : "";
  return `/v0/entity?id=${encoded(key)}${replicas(options.replicas)}${consistency}`;
}

function condition(ifMatch: string | undefined, ifAbsent = false): Record<string, string> {
  if (ifMatch !== undefined && ifAbsent) {
    throw new TypeError("ifMatch and ifAbsent exclude each other.");
  }
  if (ifMatch !== undefined) {
    return { "If-Match": ifMatch === "*" ? "*" : `"${version(ifMatch)}"` };
  }
  return ifAbsent ? { "If-None-Match": "*" } : {};
}

/** A client of one cluster. A program needs only one. */
export class Client {
  private readonly nodes: string[];
  private readonly options: Required<Omit<ClientOptions, "token">>;
  private readonly headers: Record<string, string>;
  /** Until when each node is asked last, and for how long (ms). */
  private readonly avoided = new Map<string, [until: number, ms: number]>();

  /** @param nodes URLs such as `http://10.0.0.1:8080`; more nodes mask more failures */
  constructor(nodes: readonly string[], options: ClientOptions = {}) {
    this.nodes = [...new Set(nodes.map((each) => each.replace(/\/$/, "")))];
    if (this.nodes.length === 0) {
      throw new TypeError("A client needs a node.");
    }
    for (const node of this.nodes) {
      if (!/^https?:\/\/(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(:[0-9]{1,5})?$/.test(node)) {
        throw new TypeError(`A node is http://host:port or https://host:port, not '${node}'.`);
      }
    }
    const { token, deadlineMs = 5_000, attemptTimeoutMs = 2_000, fetch = globalThis.fetch } = options;
    if (token !== undefined && !/^[!-~]{1,512}$/.test(token)) {
      throw new TypeError("A token is one word of ASCII.");
    }
    if (!(deadlineMs > 0 && attemptTimeoutMs > 0)) {
      throw new RangeError("deadlineMs and attemptTimeoutMs are positive.");
    }
    this.options = { deadlineMs, attemptTimeoutMs, fetch };
    this.headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  }

  /** Sends a request to one node after the other, with pauses between rounds. */
  private async *attempts(
    operation: Operation,
    request: () => Request,
  ): AsyncGenerator<[node: string, attempt: Attempt]> {
    const asked = new Set<string>();
    const rests = new Map<string, number>(); // until when nodes do not want to be asked again
    for (let rounds = 0; operation.left() >= SHORTEST_ATTEMPT_MS; ) {
      const now = performance.now();
      const ready = this.nodes
        .filter((each) => !asked.has(each) && (rests.get(each) ?? 0) <= now)
        .map((each) => ({ node: each, avoided: this.avoided.get(each) ?? [0, 0], by: Math.random() }))
        .sort((a, b) => +(a.avoided[0] > now) - +(b.avoided[0] > now) || a.by - b.by);
      const first = ready[0];
      if (first === undefined) {
        const earliest = Math.min(...this.nodes.map((each) => rests.get(each) ?? 0));
        if (!(await operation.pause(rounds++, earliest - now))) {
          return;
        }
        asked.clear();
        continue;
      }
      const node = first.node;
      asked.add(node);
      const { isRepeatable = true, waitMs = 0, ...more } = request();
      const headers = { ...this.headers, traceparent: operation.traceparent, ...more.headers };
      const left = operation.left();
      const ms = isRepeatable ? Math.min(left, this.options.attemptTimeoutMs + waitMs) : left;
      const attempt = await send(this.options.fetch, node, { ...more, headers }, ms);
      operation.failures.set(node, String(attempt));
      if (attempt.isWithoutEffect && attempt.retryAfterMs > 0) {
        rests.set(node, performance.now() + attempt.retryAfterMs);
        this.avoided.set(node, [performance.now() + attempt.retryAfterMs, 0]);
      } else if ([0, 502, 503].includes(attempt.status)) {
        const time = Math.min(15_000, Math.max(500, 2 * first.avoided[1]!));
        this.avoided.set(node, [performance.now() + time, time]);
      } else {
        this.avoided.delete(node);
      }
      yield [node, attempt];
    }
  }

  /** `parse` throws for an answer that no node sends. */
  private async read<T>(
    operation: Operation,
    request: () => Request,
    parse: (attempt: Attempt) => T,
  ): Promise<T> {
    for await (const [node, attempt] of this.attempts(operation, request)) {
      if ([200, 304].includes(attempt.status) || (attempt.status === 404 && attempt.isProblem)) {
        try {
          return parse(attempt);
        } catch (error) {
          operation.failures.set(node, `sent an answer that cannot be read: ${error}`);
        }
      } else if (attempt.isRefusal || attempt.isTooLarge) {
        throw new Refused(`${node} ${attempt}`, operation.traceId, attempt);
      }
    }
    throw new Unavailable(operation.message("No node could read it."), operation.traceId);
  }

  /**
   * Sends a write again only as the same write, or while no node can have made it. A new write would
   * supersede later writes of other clients, and a condition could hold twice.
   */
  private async write(
    operation: Operation,
    request: Request,
    isConditional: boolean,
    earlier: string | undefined,
    isChosen: boolean,
  ): Promise<string> {
    let isMaybeStored = earlier !== undefined;
    let named = isChosen ? newVersion() : earlier;
    const next = (): Request =>
      named === undefined
        ? { ...request, isRepeatable: false }
        : { ...request, headers: { ...request.headers, "X-Quorate-Version": named } };

    for await (const [node, attempt] of this.attempts(operation, next)) {
      if ([201, 202].includes(attempt.status) && attempt.version !== undefined) {
        return attempt.version;
      }
      if (attempt.status === 412 && attempt.isProblem && isConditional) {
        throw new Conflict(`${node} ${attempt}`, operation.traceId, attempt.version);
      }
      if (attempt.isRefusal) {
        if (isMaybeStored) {
          break;
        }
        if (attempt.status !== 409 || !isChosen) {
          throw new Refused(`${node} ${attempt}`, operation.traceId, attempt);
        }
        named = undefined; // This machine's clock is wrong.
        isChosen = false;
      } else if (attempt.status === 504 && attempt.isProblem) {
        // Without a version in the answer, the node has changed nothing.
        isMaybeStored ||= attempt.version !== undefined;
        named ??= attempt.version;
      } else if (!attempt.isWithoutEffect) {
        isMaybeStored = true;
        if (named === undefined) {
          break;
        }
      }
    }
    if (isMaybeStored) {
      const message = operation.message("The outcome of the write is unknown.");
      throw new OutcomeUnknown(message, operation.traceId, named);
    }
    const message = operation.message("No node could write it. Nothing is stored.");
    throw new Unavailable(message, operation.traceId);
  }

  private begin(traceparent: string | undefined, moreMs = 0): Operation {
    return new Operation(this.options.deadlineMs + moreMs, traceparent);
  }

  /** The value of a key; undefined if it was never written, was deleted, or has expired. */
  async get(key: Key, options: ReadOptions = {}): Promise<Entry | undefined> {
    return this.getBy(this.begin(options.traceparent), key, target(key, options));
  }

  private getBy(operation: Operation, key: Key, path: string): Promise<Entry | undefined> {
    const request: Request = { method: "GET", target: path };
    return this.read(operation, () => request, (attempt) => entry(key, attempt));
  }

  /**
   * Waits until a key has another version than this one, or none. With undefined it waits until the
   * key has a value. The time may be any; the deadline follows it. Several changes may be one. A
   * wait costs nodes nothing while nothing changes.
   */
  async awaitChange(
    key: Key,
    known: string | undefined,
    timeoutMs: number,
    options: Omit<ReadOptions, "linearizable"> = {},
  ): Promise<Awaited> {
    const headers = known === undefined ? {} : { "If-None-Match": `"${version(known)}"` };
    const path = target(key, options);
    const until = performance.now() + timeoutMs;
    for (let traceparent = options.traceparent; ; ) {
      const turn = Math.min(until, performance.now() + LONGEST_WAIT_MS);
      const operation = this.begin(traceparent, Math.max(0, turn - performance.now()));
      traceparent = operation.traceparent;
      const request = (): Request => {
        const waitMs = Math.max(1, Math.floor(turn - performance.now()));
        return { method: "GET", target: `${path}&wait=${waitMs}ms`, headers, waitMs };
      };
      const awaited = await this.read(operation, request, (attempt) => {
        if (attempt.status === 304 && known !== undefined) {
          return { changed: false, entry: undefined };
        }
        const found = entry(key, attempt);
        return { changed: found !== undefined || known !== undefined, entry: found };
      });
      if (awaited.changed || turn >= until) {
        return awaited;
      }
    }
  }

  /**
   * Writes a value of up to 16 MiB (1 MiB with a condition), and returns its version. A conditional
   * write without a time to live is sent until its outcome is known; another one whose answer is lost
   * ends as `OutcomeUnknown`.
   */
  async put(key: Key, value: Key, options: PutOptions = {}): Promise<string> {
    const headers = condition(options.ifMatch, options.ifAbsent);
    const isConditional = Object.keys(headers).length > 0;
    if (options.contentType !== undefined) {
      headers["Content-Type"] = contentType(options.contentType);
    }
    const ttl = options.ttlSeconds === undefined ? "" : `&ttl=${options.ttlSeconds}`;
    const path = target(key, options) + ttl;
    const earlier = options.version === undefined ? undefined : version(options.version);
    const isChosen = isConditional && ttl === "" && earlier === undefined;
    const request: Request = { method: "PUT", target: path, headers, body: bytes(value) };
    return this.write(this.begin(options.traceparent), request, isConditional, earlier, isChosen);
  }

  /** Deletes a key, whether it has a value or not, and returns the version of the deletion. */
  async delete(key: Key, options: DeleteOptions = {}): Promise<string> {
    const headers = condition(options.ifMatch);
    const isConditional = options.ifMatch !== undefined;
    const earlier = options.version === undefined ? undefined : version(options.version);
    const request: Request = { method: "DELETE", target: target(key, options), headers };
    const operation = this.begin(options.traceparent);
    return this.write(operation, request, isConditional, earlier, isConditional && !earlier);
  }

  /**
   * Replaces a value by what `change` makes of it, and returns the new entry.
   *
   * `change` gets the entry, or undefined if the key has no value, and returns the new value, or
   * undefined to leave the key as it is. It is called again if another client was faster, so it must
   * have no other effects. If the promise is fulfilled, the last result is applied exactly once. It
   * is rejected with `Conflict` if others were faster until the deadline. The content type remains
   * unless another one is given. The new value does not expire.
   */
  async update(
    key: Key,
    change: (entry: Entry | undefined) => Key | undefined | Promise<Key | undefined>,
    options: UpdateOptions = {},
  ): Promise<Entry | undefined> {
    const operation = this.begin(options.traceparent);
    const path = target(key, options);
    let conflict: Conflict | undefined;
    const ended = (error: unknown) => {
      throw (error instanceof Unavailable && conflict) || error;
    };
    for (let rounds = 0; ; rounds++) {
      const found = await this.getBy(operation, key, path).catch(ended);
      const value = await change(found);
      if (value === undefined) {
        return found;
      }
      const kind = options.contentType ?? found?.contentType;
      const headers = condition(found?.version, found === undefined);
      if (kind !== undefined) {
        headers["Content-Type"] = contentType(kind);
      }
      const request: Request = { method: "PUT", target: path, headers, body: bytes(value) };
      try {
        const written = await this.write(operation, request, true, undefined, true);
        return new Entry(key, value, written, kind);
      } catch (error) {
        if (!(error instanceof Conflict) || !(await operation.pause(rounds))) {
          return ended(error);
        }
        conflict = error;
      }
    }
  }

  /**
   * The entries of a range, or all, in the order of the keys' bytes. They are read page by page as
   * they are consumed; the deadline is that of a page. They are no snapshot.
   */
  async *entries(options: RangeOptions = {}): AsyncGenerator<Entry, void, undefined> {
    let { prefix, start } = options;
    if (prefix !== undefined && (start !== undefined || options.end !== undefined)) {
      throw new TypeError("A prefix excludes a start and an end.");
    }
    if (start === undefined && options.end === undefined) {
      prefix ??= "";
    } else {
      start ??= "\0";
    }
    let query = replicas(options.replicas);
    query += (options.reverse ? "&reverse=1" : "") + (options.keysOnly ? "&keys=only" : "");
    for (const [name, bound] of Object.entries({ prefix, start, end: options.end })) {
      query += bound === undefined ? "" : `&${name}=${encoded(bound)}`;
    }
    let left = options.limit ?? Infinity;
    let traceparent = options.traceparent;
    let last: Uint8Array | undefined;
    for (let size = FIRST_PAGE, cursor: string | undefined = ""; cursor !== undefined && left > 0; ) {
      const operation = this.begin(traceparent);
      traceparent = operation.traceparent;
      const count = Math.min(size, left);
      const path: string = `/v0/entities?limit=${count}&cursor=${encoded(cursor)}${query}`;
      const request = { method: "GET", target: path, headers: { Accept: "application/x-ndjson" } };
      let page: Page;
      try {
        page = await this.read(operation, () => request, (each) => parsed(each, count, last, options));
      } catch (error) {
        if (!(error instanceof Refused) || error.status !== 0 || count === 1) {
          throw error;
        }
        size = Math.floor(count / 2); // The page is longer than the longest answer.
        continue;
      }
      yield* page.entries;
      if (page.entries.length > 0) {
        const length = page.entries.reduce((sum, e) => sum + e.key.length + e.value.length + 64, 0);
        size = Math.floor((page.entries.length * PAGE_BYTES) / length);
        size = Math.max(1, Math.min(4 * FIRST_PAGE, size));
        last = page.entries[page.entries.length - 1]!.key;
      }
      left -= page.entries.length;
      cursor = page.cursor;
    }
  }
}

/** The entries of a page, and the cursor of the next; undefined after the last page. */
interface Page {
  entries: Entry[];
  cursor: string | undefined;
}

function contentType(text: string): string {
  if (!/^[ -~]{1,255}$/.test(text)) {
    throw new TypeError(`This is not a content type: '${text}'.`);
  }
  return text;
}

function entry(key: Key, attempt: Attempt): Entry | undefined {
  if (attempt.status === 404) {
    return undefined;
  }
  if (attempt.status !== 200 || attempt.version === undefined) {
    throw new TypeError("a value without a version");
  }
  const kind = attempt.headers.get("Content-Type") ?? undefined;
  const expires = attempt.headers.get("X-Quorate-Expires");
  return new Entry(key, attempt.body, attempt.version, kind, moment(expires ?? undefined));
}

function moment(ms: unknown): Date | undefined {
  return ms === undefined ? undefined : new Date(Number(ms));
}

function parsed(
  attempt: Attempt,
  limit: number,
  before: Uint8Array | undefined,
  options: RangeOptions,
): Page {
  const lines = new TextDecoder("utf-8", { fatal: true }).decode(attempt.body).split("\n");
  if (attempt.status !== 200 || lines.pop() !== "") {
    throw new TypeError("a page that is cut off");
  }
  const page: Page = { entries: [], cursor: undefined };
  let last = before;
  for (const text of lines) {
    const line = JSON.parse(text) as Record<string, unknown>;
    if (page.cursor !== undefined) {
      throw new TypeError("a line behind the cursor");
    }
    if ("cursor" in line) {
      page.cursor = String(line.cursor);
      continue;
    }
    const key = base64(line.key);
    const order = last === undefined ? 1 : Buffer.compare(key, last);
    if (options.reverse && last !== undefined ? order >= 0 : order <= 0) {
      throw new TypeError("a key that is not the next of the range");
    }
    last = key;
    const value = options.keysOnly ? new Uint8Array() : base64(line.value);
    const kind = line.contentType === undefined ? undefined : String(line.contentType);
    page.entries.push(new Entry(key, value, version(String(line.version)), kind, moment(line.expires)));
  }
  if (page.entries.length > limit) {
    throw new TypeError("a page that is too long");
  }
  return page;
}

function base64(text: unknown): Uint8Array {
  if (typeof text !== "string" || !/^[A-Za-z0-9+/]*={0,2}$/.test(text) || text.length % 4 !== 0) {
    throw new TypeError("not base64");
  }
  return new Uint8Array(Buffer.from(text, "base64"));
}
