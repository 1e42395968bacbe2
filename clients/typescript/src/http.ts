/** Sends one request to one node. */

/** The part of `fetch` that is used; that of the undici package has it, too. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface Request {
  method: string;
  target: string;
  headers?: Record<string, string>;
  body?: Uint8Array;
  /** Whether an attempt may end before the deadline, as another can follow it; true by default. */
  isRepeatable?: boolean;
  /** How much longer than others an attempt may take. */
  waitMs?: number;
}

const MAX_ANSWER_BYTES = 64 << 20;
/** Errors of a handshake, before which nothing is sent. */
const TLS = /^(CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_CERT_ALTNAME_INVALID)/;

export function isVersion(text: string): boolean {
  return /^[0-9a-f]{16}-[0-9a-f]{8}(-[0-9a-f]{16})?$/.test(text);
}

/** The result of one request to one node. */
export class Attempt {
  /** 0 without an answer. */
  status = 0;
  headers = new Headers();
  body = new Uint8Array();
  /** Why there is no answer. */
  failure: string | undefined;
  isSent = true;
  isTooLarge = false;

  /** Whether it is an error of a node, and not of a proxy before it. */
  get isProblem(): boolean {
    return (this.headers.get("Content-Type") ?? "").startsWith("application/problem+json");
  }

  /** Whether the node certainly did nothing. */
  get isWithoutEffect(): boolean {
    return !this.isSent || (this.isProblem && [408, 429, 503].includes(this.status));
  }

  get isRefusal(): boolean {
    const isOfClient = this.status >= 400 && this.status < 500;
    return isOfClient && this.isProblem && !this.isWithoutEffect;
  }

  get version(): string | undefined {
    const text = this.headers.get("X-Quorate-Version") ?? "";
    return isVersion(text) ? text : undefined;
  }

  /** At most a minute. */
  get retryAfterMs(): number {
    const text = this.headers.get("Retry-After") ?? "";
    return /^[0-9]{1,9}$/.test(text) ? Math.min(60, Number(text)) * 1000 : 0;
  }

  get detail(): string {
    let text = new TextDecoder().decode(this.body.subarray(0, 65_536));
    try {
      text = String((JSON.parse(text) as { detail?: unknown }).detail);
    } catch {
      // Then it is the whole text.
    }
    return text.replace(/[^ -~]+/g, " ").slice(0, 500);
  }

  toString(): string {
    const reason = this.isProblem ? this.detail : "it does not come from a node";
    return this.failure ?? `answered ${this.status}: ${reason}`;
  }
}

interface Cause {
  code?: unknown;
  syscall?: unknown;
  message?: unknown;
}

/** Why a request failed, and whether nothing of it was sent. */
function failed(error: unknown, attempt: Attempt): Attempt {
  const cause = (error as { cause?: unknown }).cause;
  // A name may have several addresses.
  const causes = (cause instanceof AggregateError ? cause.errors : [cause]) as (Cause | undefined)[];
  attempt.isSent = !causes.every(
    (each) =>
      each?.syscall === "connect" ||
      each?.syscall === "getaddrinfo" ||
      each?.code === "UND_ERR_CONNECT_TIMEOUT" ||
      TLS.test(String(each?.code)),
  );
  const why = causes.map((each) => each?.message ?? each?.code ?? error).join(", ");
  attempt.failure = (attempt.isSent ? "did not answer: " : "cannot be reached: ") + why;
  return attempt;
}

/** Sends a request once, within a time. Does not follow redirects. */
export async function send(fetch: Fetch, node: string, request: Request, ms: number): Promise<Attempt> {
  const { method, target, headers = {}, body } = request;
  const attempt = new Attempt();
  try {
    const signal = AbortSignal.timeout(Math.max(1, Math.ceil(ms)));
    const init: RequestInit = { method, headers, signal, redirect: "error" };
    if (body !== undefined) {
      init.body = body as BodyInit;
    }
    const answer = await fetch(node + target, init);
    const parts: Uint8Array[] = [];
    let length = 0;
    for await (const part of answer.body ?? []) {
      length += (part as Uint8Array).length;
      if (length > MAX_ANSWER_BYTES) {
        attempt.failure = `sent more than ${MAX_ANSWER_BYTES} bytes`;
        attempt.isTooLarge = true;
        return attempt; // Leaving the loop cancels the rest.
      }
      parts.push(part as Uint8Array);
    }
    attempt.status = answer.status;
    attempt.headers = answer.headers;
    attempt.body = new Uint8Array(Buffer.concat(parts));
    return attempt;
  } catch (error) {
    return failed(error, attempt);
  }
}
