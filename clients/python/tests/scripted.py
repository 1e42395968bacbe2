"""A server that answers as a test says."""

from __future__ import annotations

import http.client
import socket
import socketserver
import threading
from dataclasses import dataclass
from typing import Callable, List, Optional, Union
from urllib.parse import parse_qs, urlsplit

VERSION = "01a1ffa680e10000-36c6c909"
OTHER = "01a1ffa680e20000-36c6c909"


@dataclass
class Request:
    method: str
    path: str
    headers: http.client.HTTPMessage
    body: bytes

    def query(self, name: str) -> Optional[str]:
        found = parse_qs(urlsplit(self.path).query, keep_blank_values=True).get(name)
        return found[0] if found else None

    @property
    def version(self) -> Optional[str]:
        return self.headers.get("X-Quorate-Version")


def answer(status: int, body: bytes = b"", **headers: str) -> bytes:
    """An answer; names of headers have underscores for hyphens."""
    lines = [f"HTTP/1.1 {status} Status", f"Content-Length: {len(body)}"]
    lines += [f"{name.replace('_', '-')}: {text}" for name, text in headers.items()]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def problem(status: int, **headers: str) -> bytes:
    body = b'{"status":%d,"detail":"why"}' % status
    return answer(status, body, Content_Type="application/problem+json", **headers)


def stored(version: str = VERSION) -> bytes:
    return answer(201, X_Quorate_Version=version)


def found(value: bytes, version: str = VERSION, **headers: str) -> bytes:
    return answer(200, value, X_Quorate_Version=version, **headers)


Answer = Union[bytes, None, Callable[[Request], Optional[bytes]]]
"""None closes the connection after the request was read."""


class Node(socketserver.ThreadingTCPServer):
    """Gives its answers one after the other, and the last one for ever."""

    daemon_threads = True
    request_queue_size = 50

    def __init__(self, *answers: Answer, closes: bool = False) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answers: List[Answer] = list(answers)
        self.closes = closes
        self.requests: List[Request] = []
        self.connections = 0
        self.lock = threading.Lock()
        self.closed = threading.Event()
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, *_: object) -> None:
        """A client that closes its connection is no error."""

    def next(self, request: Request) -> Optional[bytes]:
        with self.lock:
            self.requests.append(request)
            chosen = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        return chosen(request) if callable(chosen) else chosen

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()


class _Handler(socketserver.StreamRequestHandler):
    server: Node

    def handle(self) -> None:
        with self.server.lock:
            self.server.connections += 1
        while True:
            line = self.rfile.readline().decode()
            if not line:
                return
            method, path, _ = line.split(" ")
            headers = http.client.parse_headers(self.rfile)
            body = self.rfile.read(int(headers.get("Content-Length", "0")))
            reply = self.server.next(Request(method, path, headers, body))
            if reply is None:
                return
            self.wfile.write(reply)
            if self.server.closes:
                # Closed before the client's next request, so that the client can know.
                self.connection.shutdown(socket.SHUT_RDWR)
                self.server.closed.set()
                return


def unused_url() -> str:
    """A port at which nothing listens."""
    with socketserver.TCPServer(("127.0.0.1", 0), socketserver.StreamRequestHandler) as server:
        return f"http://127.0.0.1:{server.server_address[1]}"
