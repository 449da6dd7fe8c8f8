"""The errors of clear-kgqa: one small tree, each with a message fit to be shown as a single line."""


class ClearKgqaError(Exception):
    """Base of every error that the project raises on purpose."""


class ConfigError(ClearKgqaError):
    """Something the user can fix (a path, an option, a missing extra); printed in one line, exit code 2."""


class QueryError(ClearKgqaError):
    """A query was refused or is wrong; goes back to the model as an observation."""


class EndpointError(ClearKgqaError):
    """An endpoint or a model server is unreachable or answered with something unusable."""


class LimitExceeded(ClearKgqaError):
    """A query passed its limit on time or memory and was stopped."""


class Cancelled(ClearKgqaError):
    """The user stopped the running query or turn."""
