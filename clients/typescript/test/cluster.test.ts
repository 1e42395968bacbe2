/**
 * The client against a running cluster, whose URLs are in QUORATE_NODES, separated by commas.
 *
 * With QUORATE_KILLS=1, somebody kills a node when the key `kill/typescript` has the value `please`,
 * and then writes `done` to it.
 */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { Client, Conflict, Refused } from "../src/index.js";
import type { Entry } from "../src/index.js";

const NODES = process.env.QUORATE_NODES ?? "";
const options = { skip: NODES === "" && "QUORATE_NODES names no cluster" };
// Long, for machines that are busy.
const client = new Client((NODES || "http://localhost").split(","), { deadlineMs: 60_000 });

before(async () => {
  if (NODES !== "") {
    for await (const entry of client.entries({ prefix: "ts/", keysOnly: true })) {
      await client.delete(entry.key);
    }
  }
});

test("a round trip", options, async () => {
  const key = new TextEncoder().encode("ts/\0 +&\u00ff");
  const version = await client.put(key, "v", { contentType: "text/plain", ttlSeconds: 3600 });
  const entry = await client.get(key, { linearizable: true });
  assert.deepEqual([entry?.text(), entry?.version, entry?.contentType], ["v", version, "text/plain"]);
  assert.ok(Math.abs(entry!.expires!.getTime() - Date.now() - 3_600_000) < 600_000);
  await client.delete(key, { replicas: "2/3" });
  assert.equal(await client.get(key), undefined);
});

test("conditions", options, async () => {
  const version = await client.put("ts/condition", "1", { ifAbsent: true });
  await assert.rejects(client.put("ts/condition", "2", { ifAbsent: true }), (e) => {
    return e instanceof Conflict && e.version === version;
  });
  const newer = await client.put("ts/condition", "2", { ifMatch: version });
  assert.ok(newer > version);
  await assert.rejects(client.delete("ts/condition", { ifMatch: version }), Conflict);
  await client.delete("ts/condition", { ifMatch: newer });
});

test("a refusal", options, async () => {
  await assert.rejects(client.put("ts/refused", "v", { replicas: "4/3" }), (e) => {
    return e instanceof Refused && e.status === 400 && e.detail.includes("'ack'");
  });
});

test("a range", options, async () => {
  const keys = Array.from({ length: 300 }, (_, i) => `ts/range/${String(i).padStart(3, "0")}`);
  await Promise.all(keys.map((key) => client.put(key, key, { replicas: "1/3" })));
  const found: string[] = [];
  for await (const entry of client.entries({ prefix: "ts/range/", replicas: "3/3" })) {
    found.push(entry.text());
  }
  assert.deepEqual(found, keys);
  const last: string[] = [];
  const bounds = { start: "ts/range/", end: "ts/range/299", reverse: true, limit: 2, keysOnly: true };
  for await (const entry of client.entries({ ...bounds, replicas: "3/3" })) {
    last.push(entry.keyText());
  }
  assert.deepEqual(last, [keys[298], keys[297]]);
});

test("a wait", options, async () => {
  const version = await client.put("ts/wait", "1");
  const same = await client.awaitChange("ts/wait", version, 50);
  assert.deepEqual(same, { changed: false, entry: undefined });
  const waiting = client.awaitChange("ts/wait", version, 60_000);
  await client.put("ts/wait", "2");
  const { changed, entry } = await waiting;
  assert.deepEqual([changed, entry?.text()], [true, "2"]);
});

test("increments while a node dies", options, async () => {
  const increment = (entry: Entry | undefined) => String(entry ? Number(entry.text()) + 1 : 1);
  let isOver = false;
  let count = 0;
  const run = async () => {
    for (let i = 0; i < 10 || !isOver; i++) {
      await client.update("ts/counter", increment);
      count++;
    }
  };
  const runs = Promise.all([run(), run(), run()]);
  runs.catch(() => {}); // It is awaited below.
  try {
    if (process.env.QUORATE_KILLS) {
      const version = await client.put("kill/typescript", "please");
      const { entry } = await client.awaitChange("kill/typescript", version, 60_000);
      assert.equal(entry?.text(), "done");
    }
  } finally {
    isOver = true;
    await runs;
  }
  assert.equal((await client.get("ts/counter"))?.text(), String(count));
});
