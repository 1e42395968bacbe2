"""The errors of operations. Their types say what became of a write."""

from typing import Optional


class QuorateError(Exception):
    """An operation failed.

    ``trace_id`` finds it in the logs of nodes. ``version`` is that of a ``Conflict`` or an
    ``OutcomeUnknown``. ``status`` and ``detail`` are those of a ``Refused``: 400 to 499, or 0 if an
    answer is longer than 64 MiB, and the reason.
    """

    def __init__(
        self, message: str, trace_id: str = "", version: Optional[str] = None, status: int = 0,
        detail: str = "",
    ) -> None:
        super().__init__(message)
        self.trace_id = trace_id
        self.version = version
        self.status = status
        self.detail = detail


class Unavailable(QuorateError):
    """No node could do it before the deadline. A write is not stored, and will not be."""


class Refused(QuorateError):
    """Every node would refuse it. A write is not stored."""


class Conflict(QuorateError):
    """The condition of a write does not hold, and the write is not stored.

    ``version`` is the current version; None if the key has no value, or if it is not known.
    """


class OutcomeUnknown(QuorateError):
    """A write may be stored, now, later or never. Do not send it again as a new write.

    With ``version``, if it has one, the same write can be sent again for up to three hours
    (``put(…, version=…)``). It then takes effect once, and supersedes nothing newer.
    """
