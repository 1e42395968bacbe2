"""The client against a running cluster, whose URLs are in QUORATE_NODES, separated by commas.

With QUORATE_KILLS=1, somebody kills a node when the key ``kill/python`` has the value ``please``,
and then writes ``done`` to it.
"""

from __future__ import annotations

import os
import threading
import time
import unittest
from typing import List, Optional

from quorate import Client, Conflict, Entry, Refused

NODES = os.environ.get("QUORATE_NODES", "")


@unittest.skipUnless(NODES, "QUORATE_NODES names no cluster")
class AgainstNodes(unittest.TestCase):
    client: Client

    @classmethod
    def setUpClass(cls) -> None:
        # Long, for machines that are busy.
        cls.client = Client(NODES, deadline=60)
        for entry in list(cls.client.entries(prefix="py/", keys_only=True)):
            cls.client.delete(entry.key)

    @classmethod
    def tearDownClass(cls) -> None:
        cls.client.close()

    def test_round_trip(self) -> None:
        key = b"py/\xff\x00 +&"
        version = self.client.put(key, "v", content_type="text/plain", ttl=3600)
        entry = self.client.get(key, linearizable=True)
        assert entry is not None and entry.expires is not None
        self.assertEqual((entry.text(), entry.version), ("v", version))
        self.assertEqual(entry.content_type, "text/plain")
        self.assertLess(abs(entry.expires - time.time() - 3600), 600)
        self.client.delete(key, replicas="2/3")
        self.assertIsNone(self.client.get(key))

    def test_conditions(self) -> None:
        version = self.client.put("py/condition", "1", if_absent=True)
        with self.assertRaises(Conflict) as conflict:
            self.client.put("py/condition", "2", if_absent=True)
        self.assertEqual(conflict.exception.version, version)
        newer = self.client.put("py/condition", "2", if_match=version)
        self.assertGreater(newer, version)
        with self.assertRaises(Conflict):
            self.client.delete("py/condition", if_match=version)
        self.client.delete("py/condition", if_match=newer)

    def test_refusal(self) -> None:
        with self.assertRaises(Refused) as refused:
            self.client.put("py/refused", "v", replicas="4/3")
        self.assertEqual(refused.exception.status, 400)
        self.assertIn("'ack'", refused.exception.detail)

    def test_entries(self) -> None:
        keys = [f"py/range/{i:03}" for i in range(300)]
        for key in keys:
            self.client.put(key, key, replicas="1/3")
        found = list(self.client.entries(prefix="py/range/", replicas="3/3"))
        self.assertEqual([entry.text() for entry in found], keys)
        last = self.client.entries(
            start="py/range/", end="py/range/299", reverse=True, limit=2, keys_only=True,
            replicas="3/3",
        )
        self.assertEqual([entry.key.decode() for entry in last], keys[298:296:-1])

    def test_wait(self) -> None:
        version = self.client.put("py/wait", "1")
        self.assertEqual(self.client.await_change("py/wait", version, 0.05), (False, None))
        writer = threading.Thread(target=self.client.put, args=("py/wait", "2"))
        writer.start()
        changed, entry = self.client.await_change("py/wait", version, 60)
        writer.join()
        self.assertEqual((changed, entry and entry.text()), (True, "2"))

    def test_increments_while_a_node_dies(self) -> None:
        failures: List[BaseException] = []
        is_over = threading.Event()
        counts = [0, 0, 0]

        def increment(entry: Optional[Entry]) -> str:
            return str(int(entry.text()) + 1 if entry else 1)

        def run(worker: int) -> None:
            try:
                while counts[worker] < 10 or not is_over.is_set():
                    self.client.update("py/counter", increment)
                    counts[worker] += 1
            except BaseException as e:
                failures.append(e)

        threads = [threading.Thread(target=run, args=(i,)) for i in range(len(counts))]
        for thread in threads:
            thread.start()
        try:
            if os.environ.get("QUORATE_KILLS"):
                version = self.client.put("kill/python", "please")
                changed, entry = self.client.await_change("kill/python", version, 60)
                self.assertEqual((changed, entry and entry.text()), (True, "done"))
        finally:
            is_over.set()
            for thread in threads:
                thread.join()
        self.assertEqual(failures, [])
        entry = self.client.get("py/counter")
        self.assertEqual(int(entry.text()) if entry else 0, sum(counts))


if __name__ == "__main__":
    unittest.main()
