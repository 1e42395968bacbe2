"""Sends one request to one node, over connections that are used again."""

from __future__ import annotations

import http.client
import json
import os
import re
import selectors
import ssl
import time
from dataclasses import dataclass, field
from typing import Dict, Iterable, List, Optional
from urllib.parse import urlsplit

MAX_ANSWER_BYTES = 64 << 20
VERSION = re.compile(r"[0-9a-f]{16}-[0-9a-f]{8}(-[0-9a-f]{16})?")
_CONNECT_SECONDS = 1.0
_PIECE_BYTES = 1 << 18


@dataclass(frozen=True)
class Attempt:
    """The result of one request to one node."""

    failure: str = ""  # why there is no answer
    status: int = 0  # 0 without an answer
    headers: http.client.HTTPMessage = field(default_factory=http.client.HTTPMessage)
    body: bytes = b""
    is_sent: bool = True
    is_too_large: bool = False

    @property
    def is_problem(self) -> bool:
        """Whether it is an error of a node, and not of a proxy before it."""
        return self.headers.get("Content-Type", "").startswith("application/problem+json")

    @property
    def is_without_effect(self) -> bool:
        """Whether the node certainly did nothing."""
        return not self.is_sent or (self.is_problem and self.status in (408, 429, 503))

    @property
    def is_refusal(self) -> bool:
        return 400 <= self.status < 500 and self.is_problem and not self.is_without_effect

    @property
    def version(self) -> Optional[str]:
        text = self.headers.get("X-Quorate-Version", "")
        return text if VERSION.fullmatch(text) else None

    @property
    def retry_after(self) -> int:
        """In seconds, at most 60."""
        text = self.headers.get("Retry-After", "")
        return min(int(text), 60) if re.fullmatch("[0-9]{1,9}", text) else 0

    @property
    def detail(self) -> str:
        try:
            text = str(json.loads(self.body)["detail"])
        except (ValueError, TypeError, KeyError, RecursionError):
            text = self.body[:500].decode("utf-8", "replace")
        return re.sub(r"[^ -~]+", " ", text)[:500]

    def __str__(self) -> str:
        reason = self.detail if self.is_problem else "it does not come from a node"
        return self.failure or f"answered {self.status}: {reason}"


def _is_readable(connection: http.client.HTTPConnection) -> bool:
    """Whether the node has closed an idle connection."""
    with selectors.DefaultSelector() as selector:
        selector.register(connection.sock, selectors.EVENT_READ)
        return bool(selector.select(0))


class Connections:
    """The idle connections to all nodes. Thread-safe."""

    def __init__(self, nodes: Iterable[str], context: ssl.SSLContext) -> None:
        self._context = context
        self._pid = os.getpid()
        self._idle: Dict[str, List[http.client.HTTPConnection]] = {node: [] for node in nodes}

    def close(self) -> None:
        for idle in self._idle.values():
            while idle:
                idle.pop().close()

    def _take(self, node: str) -> http.client.HTTPConnection:
        if self._pid != os.getpid():  # A forked process must not use its parent's connections.
            self._pid, self._idle = os.getpid(), {each: [] for each in self._idle}
        try:
            while True:
                connection = self._idle[node].pop()
                if not _is_readable(connection):
                    return connection
                connection.close()
        except IndexError:
            url = urlsplit(node)
            if url.scheme == "http":
                return http.client.HTTPConnection(url.hostname or "", url.port or 80)
            context = self._context
            return http.client.HTTPSConnection(url.hostname or "", url.port or 443, context=context)

    def send(
        self, node: str, method: str, target: str, headers: Dict[str, str], body: Optional[bytes],
        seconds: float,
    ) -> Attempt:
        """Sends a request once, within a time. Does not follow redirects, and uses no proxy."""
        until = time.monotonic() + seconds
        connection = self._take(node)
        is_reusable = False
        try:
            if connection.sock is None:
                connection.timeout = min(seconds, _CONNECT_SECONDS)
                try:
                    connection.connect()
                except (OSError, UnicodeError) as e:
                    return Attempt(f"cannot be reached: {e}", is_sent=False)
            sock = connection.sock
            sock.settimeout(max(0.001, until - time.monotonic()))
            try:
                connection.request(method, target, body, headers)
            except (BrokenPipeError, ConnectionResetError):
                pass  # The node may have answered before the end of the body.
            answer = connection.getresponse()
            length = answer.length  # None for chunks
            content = bytearray()
            while length is None or len(content) < length:
                sock.settimeout(max(0.001, until - time.monotonic()))
                left = _PIECE_BYTES if length is None else length - len(content)
                piece = answer.read1(min(left, _PIECE_BYTES))
                if not piece:
                    break
                content += piece
                if len(content) > MAX_ANSWER_BYTES:
                    return Attempt(f"sent more than {MAX_ANSWER_BYTES} bytes", is_too_large=True)
            if length is not None and len(content) < length:
                return Attempt("did not answer: the answer is cut off")
            answer.close()
            is_reusable = connection.sock is not None
            return Attempt("", answer.status, answer.headers, bytes(content))
        except (OSError, http.client.HTTPException, ValueError) as e:
            return Attempt(f"did not answer: {str(e) or type(e).__name__}")
        finally:
            if is_reusable:
                self._idle[node].append(connection)
            else:
                connection.close()
