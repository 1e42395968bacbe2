"""The operations, and the rules of what is sent again."""

from __future__ import annotations

import base64
import json
import random
import re
import secrets
import ssl
import time
from dataclasses import dataclass
from os import PathLike
from typing import (
    Callable, Dict, Iterable, Iterator, List, NamedTuple, Optional, Set, Tuple, Type, TypeVar, Union,
)
from urllib.parse import quote

from ._errors import Conflict, OutcomeUnknown, QuorateError, Refused, Unavailable
from ._http import VERSION, Attempt, Connections

Key = Union[str, bytes]
"""1 to 1,024 bytes; text is encoded in UTF-8."""

_T = TypeVar("_T")
_TRACE = re.compile("00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}")
_NODE = re.compile(r"https?://(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(:[0-9]{1,5})?")
_SHORTEST_ATTEMPT = 0.02  # With less time left a write would only have an unknown outcome.
_LONGEST_WAIT = 25.0  # Nodes wait up to 55 s; a node that vanishes is noticed after this.
_FIRST_PAGE = 256
_PAGE_BYTES = 4 << 20
_BAD_ANSWER = (ValueError, TypeError, KeyError, AttributeError, RecursionError)


@dataclass(frozen=True)
class Entry:
    """A key with its value."""

    key: bytes
    value: bytes  # empty in a range of keys only
    version: str  # of one key, the larger text is the newer version
    content_type: Optional[str] = None
    expires: Optional[float] = None  # in seconds since 1970, as time.time()

    def text(self) -> str:
        """The value as text in UTF-8."""
        return self.value.decode()


class Awaited(NamedTuple):
    """The result of a wait."""

    changed: bool  # False if the time passed first
    entry: Optional[Entry]  # None if nothing has changed, or the key has no value any more


class _Request(NamedTuple):
    method: str
    target: str
    headers: Dict[str, str]
    body: Optional[bytes] = None
    is_repeatable: bool = True  # An attempt may end before the deadline, as another can follow it.
    wait: float = 0.0  # how much longer than others an attempt may take (s)


class _Operation:
    """The deadline, the trace and the failures of one operation."""

    def __init__(self, seconds: float, traceparent: Optional[str]) -> None:
        own = f"00-{secrets.token_hex(16)}-{secrets.token_hex(8)}-00"
        self.until = time.monotonic() + seconds
        self.traceparent = own if traceparent is None else traceparent
        if not _TRACE.fullmatch(self.traceparent):
            raise ValueError(f"This is not a traceparent: {traceparent!r}.")
        self.trace_id = self.traceparent.split("-")[1]
        self.failures: Dict[str, str] = {}

    def left(self) -> float:
        return self.until - time.monotonic()

    def pause(self, rounds: int, least: float = 0.0) -> bool:
        """Pauses at random, longer each time, or returns False if the time does not suffice."""
        most = min(0.5, 0.01 * 2 ** min(rounds, 10))
        seconds = max(least, random.uniform(most / 2, most))
        if seconds >= self.left():
            return False
        time.sleep(seconds)
        return True

    def error(
        self, kind: Type[QuorateError], sentence: str, version: Optional[str] = None
    ) -> QuorateError:
        lines = [f"{node} {failure}" for node, failure in self.failures.items()]
        return kind("\n".join([sentence, *lines]), self.trace_id, version)

    def refused(self, node: str, attempt: Attempt) -> Refused:
        detail = attempt.failure or attempt.detail
        return Refused(f"{node} {attempt}", self.trace_id, None, attempt.status, detail)


def _bytes(value: Union[str, bytes]) -> bytes:
    return value.encode() if isinstance(value, str) else bytes(value)


def _new_version() -> str:
    """Unique. The second that has begun is not ahead of the nodes' clocks."""
    digits = f"{int(time.time()) * 1000:012x}{secrets.token_hex(6)}"
    return f"{digits[:16]}-{digits[16:]}"


def _version(text: str) -> str:
    if not VERSION.fullmatch(text):
        raise ValueError(f"This is not a version: {text!r}.")
    return text


def _target(key: Key, replicas: Optional[str], linearizable: bool = False) -> str:
    encoded = _bytes(key)
    if not 1 <= len(encoded) <= 1024:
        raise ValueError(f"A key has 1 to 1,024 bytes, not {len(encoded)}.")
    consistency = "&consistency=linearizable" if linearizable else ""
    return f"/v0/entity?id={quote(encoded, safe='')}{_replicas(replicas)}{consistency}"


def _replicas(replicas: Optional[str]) -> str:
    return "" if replicas is None else f"&replicas={quote(replicas)}"


def _condition(if_match: Optional[str], if_absent: bool) -> Dict[str, str]:
    if if_match is not None and if_absent:
        raise ValueError("if_match and if_absent exclude each other.")
    if if_match is not None:
        return {"If-Match": "*" if if_match == "*" else f'"{_version(if_match)}"'}
    return {"If-None-Match": "*"} if if_absent else {}


class Client:
    """A client of one cluster. Thread-safe; a program needs only one.

    ``nodes`` are URLs such as ``http://10.0.0.1:8080``, in a list or separated by commas; more
    nodes mask more failures. ``token`` is the access token for nodes with a ``token-file``. ``ca``
    is a file (PEM) with the trusted certificates for nodes with TLS, or an ``ssl.SSLContext``.
    ``deadline`` (s) is that of an operation, ``attempt_timeout`` (s) that of a request that can be
    sent to another node.

    Operations raise ``Unavailable``, ``Refused``, ``Conflict`` or ``OutcomeUnknown``. ``replicas``
    is ``"ACK/FROM"``, by default a majority of three. ``traceparent`` (W3C Trace Context, version
    00) is by default one of the operation's own.
    """

    def __init__(
        self, nodes: Union[str, Iterable[str]], token: Optional[str] = None,
        ca: Union[str, PathLike[str], ssl.SSLContext, None] = None,
        deadline: float = 5.0, attempt_timeout: float = 2.0,
    ) -> None:
        urls = nodes.split(",") if isinstance(nodes, str) else nodes
        self._nodes = list(dict.fromkeys(each.strip().rstrip("/") for each in urls))
        if not self._nodes:
            raise ValueError("A client needs a node.")
        for node in self._nodes:
            if not _NODE.fullmatch(node):
                raise ValueError(f"A node is http://host:port or https://host:port, not {node!r}.")
        if token is not None and not re.fullmatch("[!-~]{1,512}", token):
            raise ValueError("A token is one word of ASCII.")
        if not (deadline > 0 and attempt_timeout > 0):
            raise ValueError("deadline and attempt_timeout are positive numbers of seconds.")
        context = ca if isinstance(ca, ssl.SSLContext) else ssl.create_default_context(cafile=ca)
        self._headers = {} if token is None else {"Authorization": "Bearer " + token}
        self._deadline = deadline
        self._attempt_timeout = attempt_timeout
        self._connections = Connections(self._nodes, context)
        self._avoided: Dict[str, Tuple[float, float]] = {}  # until when, and for how long

    def close(self) -> None:
        """Closes the idle connections."""
        self._connections.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _attempts(
        self, operation: _Operation, request: Callable[[], _Request]
    ) -> Iterator[Tuple[str, Attempt]]:
        """Sends a request to one node after the other, with pauses between rounds."""
        asked: Set[str] = set()
        rests: Dict[str, float] = {}  # until when nodes do not want to be asked again
        rounds = 0
        while operation.left() >= _SHORTEST_ATTEMPT:
            now = time.monotonic()
            ready = [n for n in self._nodes if n not in asked and rests.get(n, 0.0) <= now]
            if not ready:
                earliest = min(rests.get(n, 0.0) for n in self._nodes)
                if not operation.pause(rounds, earliest - now):
                    return
                rounds += 1
                asked.clear()
                continue
            avoided = {n: self._avoided.get(n, (0.0, 0.0)) for n in ready}
            node = min(ready, key=lambda n: (avoided[n][0] > now, random.random()))
            asked.add(node)
            method, target, headers, body, is_repeatable, wait = request()
            headers = {**self._headers, "traceparent": operation.traceparent, **headers}
            left = operation.left()
            seconds = min(left, self._attempt_timeout + wait) if is_repeatable else left
            attempt = self._connections.send(node, method, target, headers, body, seconds)
            operation.failures[node] = str(attempt)
            now = time.monotonic()
            if attempt.is_without_effect and attempt.retry_after > 0:
                rests[node] = now + attempt.retry_after
                self._avoided[node] = (rests[node], 0.0)
            elif attempt.status in (0, 502, 503):
                seconds = min(15.0, max(0.5, 2 * avoided[node][1]))
                self._avoided[node] = (now + seconds, seconds)
            else:
                self._avoided.pop(node, None)
            yield node, attempt

    def _read(
        self, operation: _Operation, request: Callable[[], _Request],
        parse: Callable[[Attempt], _T],
    ) -> _T:
        """``parse`` raises an error for an answer that no node sends."""
        for node, attempt in self._attempts(operation, request):
            if attempt.status in (200, 304) or (attempt.status == 404 and attempt.is_problem):
                try:
                    return parse(attempt)
                except _BAD_ANSWER as e:
                    operation.failures[node] = f"sent an answer that cannot be read: {e}"
            elif attempt.is_refusal or attempt.is_too_large:
                raise operation.refused(node, attempt)
        raise operation.error(Unavailable, "No node could read it.")

    def _write(
        self, operation: _Operation, request: _Request, is_conditional: bool,
        version: Optional[str], is_chosen: bool,
    ) -> str:
        """Sends a write again only as the same write, or while no node can have made it.

        A new write would supersede later writes of other clients, and a condition could hold twice.
        """
        is_maybe_stored = version is not None
        version = _new_version() if is_chosen else version

        def named() -> _Request:
            if version is None:
                return request._replace(is_repeatable=False)
            return request._replace(headers={**request.headers, "X-Quorate-Version": version})

        for node, attempt in self._attempts(operation, named):
            if attempt.status in (201, 202) and attempt.version is not None:
                return attempt.version
            if attempt.status == 412 and attempt.is_problem and is_conditional:
                raise Conflict(f"{node} {attempt}", operation.trace_id, attempt.version)
            if attempt.is_refusal:
                if is_maybe_stored:
                    break
                if attempt.status != 409 or not is_chosen:
                    raise operation.refused(node, attempt)
                version, is_chosen = None, False  # This machine's clock is wrong.
            elif attempt.status == 504 and attempt.is_problem:
                # Without a version in the answer, the node has changed nothing.
                is_maybe_stored = is_maybe_stored or attempt.version is not None
                version = version or attempt.version
            elif not attempt.is_without_effect:
                is_maybe_stored = True
                if version is None:
                    break
        if is_maybe_stored:
            raise operation.error(OutcomeUnknown, "The outcome of the write is unknown.", version)
        raise operation.error(Unavailable, "No node could write it. Nothing is stored.")

    def get(
        self, key: Key, *, replicas: Optional[str] = None, linearizable: bool = False,
        traceparent: Optional[str] = None,
    ) -> Optional[Entry]:
        """The value of a key; None if it was never written, was deleted, or has expired."""
        operation = _Operation(self._deadline, traceparent)
        return self._get(operation, key, _target(key, replicas, linearizable))

    def _get(self, operation: _Operation, key: Key, target: str) -> Optional[Entry]:
        request = _Request("GET", target, {})
        return self._read(operation, lambda: request, lambda attempt: _entry(key, attempt))

    def await_change(
        self, key: Key, version: Optional[str], timeout: float, *, replicas: Optional[str] = None,
        traceparent: Optional[str] = None,
    ) -> Awaited:
        """Waits until a key has another version than this one, or none.

        With None it waits until the key has a value. ``timeout`` (s) may be any time; the deadline
        follows it. Several changes may be one. A wait costs nodes nothing while nothing changes.
        """
        headers = {} if version is None else {"If-None-Match": f'"{_version(version)}"'}
        target = _target(key, replicas)
        until = time.monotonic() + timeout
        while True:
            turn = min(until, time.monotonic() + _LONGEST_WAIT)
            operation = _Operation(turn - time.monotonic() + self._deadline, traceparent)
            traceparent = operation.traceparent

            def request() -> _Request:
                wait = max(0.001, turn - time.monotonic())
                path = f"{target}&wait={int(1000 * wait)}ms"
                return _Request("GET", path, headers, None, True, wait)

            def parse(attempt: Attempt) -> Awaited:
                if attempt.status == 304 and version is not None:
                    return Awaited(False, None)
                entry = _entry(key, attempt)
                return Awaited(entry is not None or version is not None, entry)

            awaited = self._read(operation, request, parse)
            if awaited.changed or turn >= until:
                return awaited

    def put(
        self, key: Key, value: Union[str, bytes], *, ttl: Optional[int] = None,
        content_type: Optional[str] = None, if_match: Optional[str] = None,
        if_absent: bool = False, replicas: Optional[str] = None, linearizable: bool = False,
        version: Optional[str] = None, traceparent: Optional[str] = None,
    ) -> str:
        """Writes a value of up to 16 MiB (1 MiB with a condition), and returns its version.

        ``ttl`` is in whole seconds. With ``if_match`` the write is made only if the key has this
        version (``"*"``: any value), with ``if_absent`` only if it has no value; otherwise
        ``Conflict`` is raised. ``version`` is that of an ``OutcomeUnknown``, to send the same write
        again. A conditional write without ``ttl`` is sent until its outcome is known; another one
        whose answer is lost ends as ``OutcomeUnknown``.
        """
        headers = _condition(if_match, if_absent)
        is_conditional = bool(headers)
        if content_type is not None:
            if not re.fullmatch("[ -~]{1,255}", content_type):
                raise ValueError(f"This is not a content type: {content_type!r}.")
            headers["Content-Type"] = content_type
        target = _target(key, replicas, linearizable) + ("" if ttl is None else f"&ttl={int(ttl)}")
        request = _Request("PUT", target, headers, _bytes(value))
        earlier = None if version is None else _version(version)
        is_chosen = is_conditional and ttl is None and version is None
        operation = _Operation(self._deadline, traceparent)
        return self._write(operation, request, is_conditional, earlier, is_chosen)

    def delete(
        self, key: Key, *, if_match: Optional[str] = None, replicas: Optional[str] = None,
        linearizable: bool = False, version: Optional[str] = None,
        traceparent: Optional[str] = None,
    ) -> str:
        """Deletes a key, whether it has a value or not, and returns the version of the deletion.

        ``if_match`` and ``version`` are as for ``put``.
        """
        headers = _condition(if_match, False)
        request = _Request("DELETE", _target(key, replicas, linearizable), headers)
        earlier = None if version is None else _version(version)
        is_chosen = bool(headers) and version is None
        operation = _Operation(self._deadline, traceparent)
        return self._write(operation, request, bool(headers), earlier, is_chosen)

    def update(
        self, key: Key, change: Callable[[Optional[Entry]], Union[str, bytes, None]], *,
        content_type: Optional[str] = None, replicas: Optional[str] = None,
        traceparent: Optional[str] = None,
    ) -> Optional[Entry]:
        """Replaces a value by what ``change`` makes of it, and returns the new entry.

        ``change`` gets the entry, or None if the key has no value, and returns the new value, or
        None to leave the key as it is. It is called again if another client was faster, so it must
        have no other effects. If ``update`` returns, the last result is applied exactly once. It
        raises ``Conflict`` if others were faster until the deadline. The content type remains
        unless another one is given. The new value does not expire.
        """
        operation = _Operation(self._deadline, traceparent)
        target = _target(key, replicas)
        rounds = 0
        conflict: Optional[Conflict] = None
        while True:
            try:
                entry = self._get(operation, key, target)
            except Unavailable as e:
                raise conflict or e
            value = change(entry)
            if value is None:
                return entry
            kind = content_type or (entry.content_type if entry else None)
            headers = _condition(entry.version if entry else None, entry is None)
            headers.update({"Content-Type": kind} if kind else {})
            request = _Request("PUT", target, headers, _bytes(value))
            try:
                version = self._write(operation, request, True, None, True)
                return Entry(_bytes(key), _bytes(value), version, kind)
            except Conflict as e:
                if not operation.pause(rounds):
                    raise
                conflict = e
                rounds += 1
            except Unavailable as e:
                raise conflict or e

    def entries(
        self, *, prefix: Optional[Key] = None, start: Optional[Key] = None,
        end: Optional[Key] = None, limit: Optional[int] = None, reverse: bool = False,
        keys_only: bool = False, replicas: Optional[str] = None, traceparent: Optional[str] = None,
    ) -> Iterator[Entry]:
        """The entries with a prefix, or from ``start`` (included) to ``end`` (excluded), or all.

        They are in the order of the keys' bytes, and are read page by page as they are consumed;
        the deadline is that of a page. They are no snapshot. ``limit`` is their maximum number.
        """
        if prefix is not None and (start is not None or end is not None):
            raise ValueError("A prefix excludes a start and an end.")
        if start is None and end is None:
            prefix = prefix or b""
        elif start is None:
            start = b"\0"
        query = _replicas(replicas) + "&reverse=1" * reverse + "&keys=only" * keys_only
        for name, bound in (("prefix", prefix), ("start", start), ("end", end)):
            query += "" if bound is None else f"&{name}={quote(_bytes(bound), safe='')}"
        left = 2**62 if limit is None else limit
        size, cursor, last = _FIRST_PAGE, "", b""
        while left > 0:
            operation = _Operation(self._deadline, traceparent)
            traceparent = operation.traceparent
            count = min(size, left)
            target = f"/v0/entities?limit={count}&cursor={quote(cursor, safe='')}{query}"
            request = _Request("GET", target, {"Accept": "application/x-ndjson"})

            def parse(attempt: Attempt) -> Tuple[List[Entry], Optional[str]]:
                return _page(attempt, count, last, reverse, keys_only)

            try:
                page, following = self._read(operation, lambda: request, parse)
            except Refused as e:
                if e.status != 0 or count == 1:
                    raise
                size = count // 2  # The page is longer than the longest answer.
                continue
            yield from page
            if following is None:
                return
            if page:
                page_bytes = sum(len(each.key) + len(each.value) + 64 for each in page)
                size = max(1, min(4 * _FIRST_PAGE, len(page) * _PAGE_BYTES // page_bytes))
                last = page[-1].key
            left -= len(page)
            cursor = following


def _entry(key: Key, attempt: Attempt) -> Optional[Entry]:
    if attempt.status == 404:
        return None
    if attempt.status != 200 or attempt.version is None:
        raise ValueError("a value without a version")
    kind, expires = (attempt.headers.get(n) for n in ("Content-Type", "X-Quorate-Expires"))
    moment = None if expires is None else int(expires) / 1000
    return Entry(_bytes(key), attempt.body, attempt.version, kind, moment)


def _page(
    attempt: Attempt, limit: int, last: bytes, reverse: bool, keys_only: bool
) -> Tuple[List[Entry], Optional[str]]:
    """The entries of a page, and the cursor of the next; None after the last page."""
    if attempt.status != 200 or (attempt.body and not attempt.body.endswith(b"\n")):
        raise ValueError("a page that is cut off")
    entries: List[Entry] = []
    cursor: Optional[str] = None
    for text in attempt.body.splitlines():
        line = json.loads(text)
        if cursor is not None:
            raise ValueError("a line behind the cursor")
        if "cursor" in line:
            cursor = str(line["cursor"])
            continue
        key = base64.b64decode(line["key"], validate=True)
        if last and (key >= last if reverse else key <= last):
            raise ValueError("a key that is not the next of the range")
        last = key
        value = b"" if keys_only else base64.b64decode(line["value"], validate=True)
        expires = int(line["expires"]) / 1000 if "expires" in line else None
        version = _version(line["version"])
        entries.append(Entry(key, value, version, line.get("contentType"), expires))
    if len(entries) > limit:
        raise ValueError("a page that is too long")
    return entries, cursor
