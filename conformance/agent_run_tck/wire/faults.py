"""What may be wrong with a port, told apart from a requirement that its implementation violates."""


class Fault(BaseException):
    """The check could not be asked. `verdict` says what is at fault, the text what happened.

    It is no ordinary exception, so that nobody takes it for a refusal of the implementation.
    """

    verdict = "the suite is at fault"


class ProtocolFault(Fault):
    """The port sent what the protocol does not know."""

    verdict = "the port breaks the protocol"


class Died(Fault):
    """The port has ended."""

    verdict = "the port died"


class Hung(Fault):
    """The port answers nothing any more."""

    verdict = "the port hangs"


class Chatty(Fault):
    """The port sends more than anything that it was asked can bring about."""

    verdict = "the port is too chatty"


class Unsupported(Fault):
    """The port says that it has no such operation."""

    verdict = "the port is not complete"


class SuiteFault(Fault):
    """The suite asked what the protocol does not know, or what the port makes no sense of."""


class Unsendable(Fault):
    """A check hands over a value that no message can hold, so it cannot be asked of another process."""


class Refusal(Exception):
    """What the implementation raised, as the port tells it."""
