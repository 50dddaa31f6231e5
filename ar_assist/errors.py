"""Errors meant for the user: one clear line, and the exit code that the command line gives."""


class UserError(Exception):
    """Wrong usage or bad input; the message says what to do. Exit code 2."""

    exit_code = 2


class SourceError(UserError):
    """A camera, stream, clip or picture that isn't there or can't be read. Exit code 3."""

    exit_code = 3
