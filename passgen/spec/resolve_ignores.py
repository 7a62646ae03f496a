"""What a spec asks to ignore, to the model: a part of `resolve`."""

from __future__ import annotations

from passgen.spec.keys import Keys
from passgen.model.model_ignores import Ignore


def ignores(keys: Keys) -> tuple[Ignore, ...]:
    """Take the ignores of a part of the spec."""
    return tuple(_ignore(Keys(item)) for item in keys.take_items("ignore"))


def _ignore(keys: Keys) -> Ignore:
    rule, location = keys.take_text("rule")
    reason = keys.take_line("reason")
    return keys.done(Ignore(rule, reason, location, keys.take_line("name")))
