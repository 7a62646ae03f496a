"""The reason for which a rewrite cannot be written as a pattern by example."""

from __future__ import annotations


class UnreadableRewriteError(Exception):
    """A rewrite has something that a pattern by example cannot have."""

    def __init__(self, reason: str, text: str = "", *, is_code: bool = False) -> None:
        """Say what it is.

        Args:
            reason: what it is.
            text: the code in the `.td` that stands in the way.
            is_code: whether that is C++ whose meaning a project can name.
        """
        self.text, self.is_code = " ".join(text.split()), is_code
        super().__init__(f"{reason}: `{self.text}`" if self.text else reason)
