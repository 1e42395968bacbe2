"""A client of Quorate, a replicated key-value store that speaks HTTP.

>>> client = Client(["http://10.0.0.1:8080", "http://10.0.0.2:8080"])
>>> client.put("greeting", "hello")
>>> client.update("visits", lambda entry: str(int(entry.text()) + 1 if entry else 1))

Each operation ends by its deadline. If a node fails, it asks another one: reads always, and writes
only if this can neither overwrite a later write nor apply a condition twice.
"""

from ._client import Awaited, Client, Entry, Key
from ._errors import Conflict, OutcomeUnknown, QuorateError, Refused, Unavailable

__all__ = [
    "Awaited", "Client", "Conflict", "Entry", "Key", "OutcomeUnknown", "QuorateError", "Refused",
    "Unavailable",
]
