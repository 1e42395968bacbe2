"""Each rule of what is sent again, against servers that answer as a test says."""

from __future__ import annotations

import base64
import json
import pickle
import shutil
import ssl
import subprocess
import tempfile
import threading
import time
import unittest
from typing import Any, Callable, Dict, List, Optional, Union

from quorate import (
    Client, Conflict, Entry, OutcomeUnknown, Refused, Unavailable,
)
from scripted import (
    OTHER, VERSION, Node, Request, answer, found, problem, stored, unused_url,
)

PROXY = answer(503, b"<html>", Content_Type="text/html")
WRITES: Dict[str, Dict[str, Any]] = {
    "plain": {}, "conditional": {"if_absent": True}, "ttl": {"if_absent": True, "ttl": 60},
}


BUSY = problem(503, Retry_After="60")


def connect(*nodes: Union[Node, str], **options: Any) -> Client:
    """A client that asks the first node first, and has time on a busy machine."""
    urls = [node if isinstance(node, str) else node.url for node in nodes]
    client = Client(urls, **{"deadline": 60, "attempt_timeout": 60, **options})
    for url in urls[1:]:
        client._avoided[url] = (time.monotonic() + 3600, 0.0)
    unittest.addModuleCleanup(client.close)
    return client


class Reads(unittest.TestCase):
    def test_entry(self) -> None:
        headers = {"Content_Type": "text/plain", "X_Quorate_Expires": "1500"}
        with Node(found("ä".encode(), **headers)) as node, connect(node) as client:
            entry = client.get(b"\xffa b", replicas="2/3", linearizable=True)
            self.assertEqual(
                entry, Entry(b"\xffa b", "ä".encode(), VERSION, "text/plain", 1.5)
            )
            self.assertEqual(entry and entry.text(), "ä")
        self.assertEqual(
            node.requests[0].path,
            "/v0/entity?id=%FFa%20b&replicas=2/3&consistency=linearizable",
        )

    def test_absence_is_a_node_s_answer_only(self) -> None:
        with Node(problem(404)) as node:
            self.assertIsNone(connect(node).get("k"))
        with Node(answer(404, b"<html>")) as proxy, Node(found(b"x")) as node:
            self.assertEqual(connect(proxy, node).get("k"), Entry(b"k", b"x", VERSION))
            self.assertEqual(len(proxy.requests), 1)

    def test_another_node_after_any_failure(self) -> None:
        cut_off = found(b"0123456789")[:-3]
        chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab"
        failures = [
            None, PROXY, cut_off, chunked, problem(503), problem(504), problem(429), problem(500),
            answer(301, Location="http://127.0.0.1:1/"), answer(200, b"no version"), b"garbage\r\n",
            answer(304),
        ]
        for failure in failures:
            with self.subTest(failure=failure):
                with Node(failure, closes=True) as bad, Node(found(b"x")) as node:
                    entry = connect(bad, node).get("k")
                    self.assertEqual(entry and entry.value, b"x")
                    self.assertEqual(len(bad.requests), 1)

    def test_refusal(self) -> None:
        with Node(problem(400)) as node, self.assertRaises(Refused) as refused:
            connect(node).get("k")
        self.assertEqual((refused.exception.status, refused.exception.detail), (400, "why"))
        self.assertEqual(len(node.requests), 1)

    def test_too_large(self) -> None:
        def endless(request: Request) -> bytes:
            return found(bytes((64 << 20) + 1))

        with Node(endless) as node, self.assertRaises(Refused) as refused:
            connect(node).get("k")
        self.assertEqual(refused.exception.status, 0)

    def test_deadline(self) -> None:
        with self.assertRaises(Unavailable) as down:
            connect(unused_url(), unused_url(), deadline=1).get("k")
        self.assertRegex(down.exception.trace_id, "^[0-9a-f]{32}$")
        self.assertIn("cannot be reached", str(down.exception))
        copy = pickle.loads(pickle.dumps(down.exception))
        self.assertEqual((type(copy), copy.trace_id), (Unavailable, down.exception.trace_id))

    def test_slow_node(self) -> None:
        release = threading.Event()

        def slow(request: Request) -> bytes:
            release.wait()
            return found(b"late")

        with Node(slow) as node, Node(found(b"x")) as other:
            entry = connect(node, other, attempt_timeout=0.1, deadline=60).get("k")
            self.assertEqual(entry and entry.value, b"x")
            release.set()

    def test_retry_after(self) -> None:
        with Node(BUSY) as one, Node(BUSY) as two, self.assertRaises(Unavailable):
            connect(one, two).get("k")
        self.assertEqual((len(one.requests), len(two.requests)), (1, 1))
        with Node(problem(503, Retry_After="1"), found(b"x")) as node:
            begin = time.monotonic()
            self.assertIsNotNone(connect(node).get("k"))
            self.assertGreaterEqual(time.monotonic() - begin, 1)

    def test_wait(self) -> None:
        with Node(answer(304)) as node, connect(node) as client:
            self.assertEqual(client.await_change("k", VERSION, 0.01), (False, None))
            self.assertEqual(node.requests[0].headers["If-None-Match"], f'"{VERSION}"')
            self.assertRegex(node.requests[0].query("wait") or "", "^[0-9]+ms$")
        with Node(None, found(b"x", OTHER)) as node, connect(node) as client:
            changed, entry = client.await_change("k", VERSION, 20)
            self.assertEqual((changed, entry and entry.version), (True, OTHER))
        with Node(problem(404)) as node, connect(node) as client:
            self.assertEqual(client.await_change("k", VERSION, 0.01), (True, None))
            self.assertEqual(client.await_change("k", None, 0.01), (False, None))

    def test_trace(self) -> None:
        own = "00-" + "1" * 32 + "-" + "2" * 16 + "-01"
        with Node(None, found(b"x")) as node, connect(node) as client:
            client.get("k")
            client.get("k")
            client.get("k", traceparent=own)
        traces = [request.headers["traceparent"] for request in node.requests]
        self.assertEqual(traces[0], traces[1])
        self.assertNotEqual(traces[1], traces[2])
        self.assertEqual(traces[3], own)

    def test_closed_idle_connection(self) -> None:
        with Node(stored(), closes=True) as node, connect(node) as client:
            for _ in range(5):  # Without a look at it, this write would have an unknown outcome.
                client.put("k", "v")
                self.assertTrue(node.closed.wait(30))
                node.closed.clear()

    def test_connections_are_used_again(self) -> None:
        with Node(stored()) as node, connect(node) as client:
            for _ in range(5):
                client.put("k", "v")
        self.assertEqual(node.connections, 1)


class Writes(unittest.TestCase):
    def test_nothing_was_sent_or_attempted(self) -> None:
        for name, options in WRITES.items():
            with self.subTest(write=name), Node(problem(503), problem(429), stored()) as node:
                down = unused_url()
                self.assertEqual(connect(down, node).put("k", "v", **options), VERSION)
                versions = {request.version for request in node.requests}
                self.assertEqual(len(node.requests), 3)
                self.assertEqual(len(versions), 1)
                self.assertEqual(versions == {None}, name != "conditional")

    def test_nothing_is_stored(self) -> None:
        with Node(BUSY) as node, self.assertRaises(Unavailable):
            connect(node).put("k", "v")

    def test_unknown_outcome(self) -> None:
        for failure in (None, PROXY, problem(500), answer(201), answer(302), b"garbage\r\n"):
            for name in ("plain", "ttl"):
                with self.subTest(write=name, failure=failure):
                    with Node(failure, closes=True) as bad, Node(stored()) as node:
                        with self.assertRaises(OutcomeUnknown) as unknown:
                            connect(bad, node).put("k", "v", **WRITES[name])
                        self.assertIsNone(unknown.exception.version)
                        self.assertEqual((len(bad.requests), len(node.requests)), (1, 0))
            with self.subTest(write="conditional", failure=failure):
                with Node(failure, closes=True) as bad, Node(stored()) as node:
                    connect(bad, node).put("k", "v", if_absent=True)
                    one, two = bad.requests[0], node.requests[0]
                    self.assertEqual(one.version, two.version)
                    self.assertEqual(two.headers["If-None-Match"], "*")

    def test_chosen_version(self) -> None:
        before = int(time.time()) * 1000
        with Node(stored()) as node, connect(node) as client:
            client.put("k", "v", if_match=VERSION)
            client.delete("k", if_match=VERSION)
        one, two = (request.version or "" for request in node.requests)
        self.assertNotEqual(one, two)
        for version in (one, two):
            self.assertRegex(version, "^[0-9a-f]{16}-[0-9a-f]{8}$")
            millis = int(version[:12], 16)
            self.assertEqual(millis % 1000, 0)
            self.assertTrue(before <= millis <= time.time() * 1000)
        self.assertEqual(node.requests[0].headers["If-Match"], f'"{VERSION}"')

    def test_version_of_a_504(self) -> None:
        indeterminate = problem(504, X_Quorate_Version=OTHER)
        for name, options in WRITES.items():
            with self.subTest(write=name):
                with Node(indeterminate, None, stored(OTHER)) as node, connect(node) as client:
                    self.assertEqual(client.put("k", "v", **options), OTHER)
                one, two, three = (request.version for request in node.requests)
                self.assertEqual(two, one if name == "conditional" else OTHER)
                self.assertEqual(three, two)

    def test_504_without_a_version(self) -> None:
        with Node(problem(504), stored()) as node, connect(node) as client:
            client.put("k", "v")
        self.assertEqual([request.version for request in node.requests], [None, None])

    def test_unknown_outcome_with_a_version(self) -> None:
        with Node(problem(504, X_Quorate_Version=OTHER), BUSY) as node:
            with self.assertRaises(OutcomeUnknown) as unknown:
                connect(node).delete("k")
        self.assertEqual(unknown.exception.version, OTHER)
        with Node(problem(504, X_Quorate_Version=OTHER), problem(409)) as node:
            with self.assertRaises(OutcomeUnknown):
                connect(node).put("k", "v")
        with Node(None, stored(OTHER)) as node:
            connect(node).put("k", "v", version=OTHER)
        self.assertEqual([request.version for request in node.requests], [OTHER, OTHER])

    def test_conflict(self) -> None:
        with Node(problem(412, X_Quorate_Version=OTHER), problem(412)) as node:
            with self.assertRaises(Conflict) as conflict:
                connect(node).put("k", "v", if_match=VERSION)
            self.assertEqual(conflict.exception.version, OTHER)
            with self.assertRaises(Conflict) as conflict:
                connect(node).delete("k", if_match="*")
            self.assertIsNone(conflict.exception.version)
        self.assertEqual(node.requests[1].headers["If-Match"], "*")

    def test_wrong_clock(self) -> None:
        with Node(problem(409), stored()) as node:
            connect(node).put("k", "v", if_absent=True)
        self.assertIsNone(node.requests[1].version)
        with Node(problem(409)) as node, self.assertRaises(Refused):
            connect(node).put("k", "v")

    def test_refusal(self) -> None:
        for status in (400, 401, 403, 413, 414, 415, 421):
            with self.subTest(status=status), Node(problem(status)) as node:
                with self.assertRaises(Refused) as refused:
                    connect(node).put("k", "v")
                self.assertEqual(refused.exception.status, status)

    def test_request(self) -> None:
        with Node(stored()) as node, connect(node, token="secret") as client:
            client.put("ä", "ö", ttl=60, content_type="text/plain", replicas="3/3")
            client.put("k", b"")
        one, two = node.requests
        self.assertEqual(one.path, "/v0/entity?id=%C3%A4&replicas=3/3&ttl=60")
        self.assertEqual((one.method, one.body), ("PUT", "ö".encode()))
        self.assertEqual(one.headers["Content-Type"], "text/plain")
        self.assertEqual(one.headers["Authorization"], "Bearer secret")
        self.assertEqual((two.body, two.headers["Content-Type"]), (b"", None))

    def test_bad_arguments(self) -> None:
        client = Client("http://127.0.0.1:1")
        calls: List[Callable[[], object]] = [
            lambda: client.put("", "v"), lambda: client.put("k" * 1025, "v"),
            lambda: client.put("\ud800", "v"),
            lambda: client.put("k", "v", if_match=VERSION, if_absent=True),
            lambda: client.put("k", "v", if_match='"x"'), lambda: client.put("k", "v", version="1"),
            lambda: client.put("k", "v", content_type="a\nb"),
            lambda: client.get("k", traceparent="x"),
            lambda: list(client.entries(prefix="a", start="b")),
            lambda: Client([]), lambda: Client("localhost:8080"), lambda: Client("http://a/b"),
            lambda: Client("http://a", token="a b"), lambda: Client("http://a", deadline=0),
        ]
        for call in calls:
            with self.assertRaises(ValueError):
                call()

    @unittest.skipUnless(shutil.which("openssl"), "no openssl")
    def test_tls(self) -> None:
        with tempfile.TemporaryDirectory() as folder, Node(stored()) as node:
            key, certificate = folder + "/key.pem", folder + "/certificate.pem"
            subprocess.run(
                ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                 "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", key, "-out", certificate,
                 "-days", "1", "-subj", "/CN=node", "-addext", "subjectAltName=IP:127.0.0.1"],
                check=True, capture_output=True,
            )
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate, key)
            node.socket = context.wrap_socket(node.socket, server_side=True)
            url = node.url.replace("http:", "https:")
            for _ in range(3):
                connect(url, ca=certificate).put("k", "v")
            with self.assertRaises(Unavailable):  # Nothing was sent.
                connect(url, deadline=1).put("k", "v")
            self.assertEqual(len(node.requests), 3)


class Cluster:
    """One register with conditional writes, some of whose answers are lost."""

    def __init__(self, losses: int) -> None:
        self.lock = threading.Lock()
        self.value: Optional[bytes] = None
        self.version = ""
        self.made: Dict[str, bool] = {}
        self.losses = losses

    def __call__(self, request: Request) -> Optional[bytes]:
        with self.lock:
            if request.method == "GET":
                return problem(404) if self.value is None else found(self.value, self.version)
            version = str(request.version)
            if version not in self.made:
                expected = request.headers.get("If-Match", "").strip('"')
                self.made[version] = expected == self.version
                if self.made[version]:
                    self.value, self.version = request.body, version
                if self.losses > 0 and self.made[version]:
                    self.losses -= 1
                    return None
            if self.made[version]:
                return stored(version)
            return problem(412, X_Quorate_Version=self.version)


class Updates(unittest.TestCase):
    def test_contention(self) -> None:
        cluster = Cluster(losses=20)

        def increment(entry: Optional[Entry]) -> str:
            return str(int(entry.text()) + 1 if entry else 1)

        def run(client: Client) -> None:
            for _ in range(20):
                client.update("k", increment)

        with Node(cluster) as one, Node(cluster) as two:
            client = connect(one, two)
            threads = [threading.Thread(target=run, args=(client,)) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        self.assertEqual(cluster.value, b"80")
        self.assertEqual(sum(cluster.made.values()), 80)

    def test_result(self) -> None:
        with Node(found(b"1", Content_Type="text/plain"), stored(OTHER)) as node:
            entry = connect(node).update("k", lambda old: (old.value if old else b"") + b"2")
        self.assertEqual(entry, Entry(b"k", b"12", OTHER, "text/plain"))
        get, put = node.requests
        self.assertEqual(put.headers["If-Match"], f'"{VERSION}"')
        self.assertEqual(put.headers["Content-Type"], "text/plain")
        self.assertEqual(get.headers["traceparent"], put.headers["traceparent"])

    def test_nothing_to_do(self) -> None:
        with Node(found(b"1")) as node:
            self.assertEqual(
                connect(node).update("k", lambda old: None), Entry(b"k", b"1", VERSION)
            )
        self.assertEqual(len(node.requests), 1)

    def test_always_slower(self) -> None:
        def never(request: Request) -> bytes:
            return found(b"1") if request.method == "GET" else problem(412)

        with Node(never) as node, self.assertRaises(Conflict):
            connect(node, deadline=2).update("k", lambda old: "2")
        self.assertGreater(len(node.requests), 2)


def page(*keys: str, cursor: Optional[str] = None) -> bytes:
    def encoded(text: str) -> str:
        return base64.b64encode(text.encode()).decode()

    lines: List[Dict[str, object]] = [
        {"key": encoded(key), "value": encoded("v" + key), "version": VERSION} for key in keys
    ]
    if cursor is not None:
        lines.append({"cursor": cursor})
    body = "".join(json.dumps(line) + "\n" for line in lines)
    return answer(200, body.encode(), Content_Type="application/x-ndjson")


class Ranges(unittest.TestCase):
    def test_pages(self) -> None:
        pages = [page("a", "b", cursor="x+y"), page(cursor="z"), page("c")]
        with Node(*pages) as node, connect(node) as client:
            entries = list(client.entries(start="a", end=b"\xff", replicas="1/3"))
        self.assertEqual([e.key for e in entries], [b"a", b"b", b"c"])
        self.assertEqual(entries[2], Entry(b"c", b"vc", VERSION))
        self.assertEqual([r.query("cursor") for r in node.requests], ["", "x+y", "z"])
        self.assertIn("&start=a&end=%FF", node.requests[0].path)
        self.assertEqual(node.requests[0].query("limit"), "256")
        self.assertEqual(len({r.headers["traceparent"] for r in node.requests}), 1)

    def test_limit_and_order(self) -> None:
        with Node(page("c", "b", cursor="x"), page("a", cursor="y")) as node:
            found = connect(node).entries(prefix="", limit=3, reverse=True, keys_only=True)
            self.assertEqual([(e.key, e.value) for e in found], [(b"c", b""), (b"b", b""), (b"a", b"")])
        self.assertEqual([r.query("limit") for r in node.requests], ["3", "1"])
        self.assertIn("&reverse=1&keys=only&prefix=", node.requests[0].path)

    def test_bounds(self) -> None:
        with Node(page()) as node, connect(node) as client:
            self.assertEqual([*client.entries(), *client.entries(end="b")], [])
        self.assertEqual(node.requests[0].query("prefix"), "")
        self.assertEqual(node.requests[1].query("start"), "\0")

    def test_bad_page(self) -> None:
        good = page("a", "b")
        nested = answer(200, b"[" * 100_000 + b"\n")
        bad = [
            answer(200, b"{\n"), answer(200, b"[]\n"), answer(200, b'{"key":1}\n'), nested,
            answer(200, b'{"key":"YQ==","value":"*","version":"' + VERSION.encode() + b'"}\n'),
            page("b", "a"), page("a", "a"), answer(200, b'{"cursor":"a"}\n{}\n'),
            answer(200, b"null\n"), answer(200, page("a").split(b"\r\n\r\n")[1][:-1]),
        ]
        for each in bad:
            with self.subTest(answer=each[:200]), Node(each) as one, Node(good) as two:
                entries = list(connect(one, two).entries(prefix="", limit=2))
                self.assertEqual([e.key for e in entries], [b"a", b"b"])
                self.assertEqual(len(one.requests), 1)
        with Node(page("a", "b", "c")) as one, Node(good) as two:
            self.assertEqual(len(list(connect(one, two).entries(limit=2))), 2)

    def test_page_that_is_too_large(self) -> None:
        def large(request: Request) -> bytes:
            count = int(request.query("limit") or "0")
            return page("a") if count < 200 else answer(200, bytes((64 << 20) + 1))

        with Node(large) as node, connect(node) as client:
            self.assertEqual([e.key for e in client.entries()], [b"a"])
        self.assertEqual([r.query("limit") for r in node.requests], ["256", "128"])


if __name__ == "__main__":
    unittest.main()
