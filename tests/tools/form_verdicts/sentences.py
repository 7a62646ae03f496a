"""What errors about forms name, in the short sentences of the tables in this folder."""

from __future__ import annotations

import re

BROKEN = re.compile(
    r"(?:pass '(?P<pass>[\w-]+)'|(?P<what>pipeline) '(?P<included>[\w-]+)') "
    r"(?P<verb>needs|gives|keeps) '(?P<form>\w+)'"
    r"(?:; '(?P<breaker>[\w-]+)' breaks it|, which none of its passes (?P<none>gives))"
)


def sentences_before(text: str, pipeline: str = "row") -> list[str]:
    """Return each error or warning before a run of `pipeline` as a short sentence."""
    found = []
    for part in re.split(r"^.*?(?:error|warning): ", text, flags=re.MULTILINE)[1:]:
        broken = BROKEN.match(part)
        if not broken:
            found.append(part.splitlines()[0])
            continue
        included = broken["included"]
        who = broken["pass"] or ("pipeline" if included == pipeline else included)
        end = "no pass gives it" if broken["none"] else f"{broken['breaker']} breaks it"
        case = re.search("^note: this happens (if .*)", part, re.MULTILINE)
        ends = [end, *([case[1].replace("'", "")] if case else [])]
        found.append("; ".join([f"{who} {broken['verb']} {broken['form']}", *ends]))
    return found


VIOLATION = re.compile(
    r"pass '(?P<pass>[\w-]+)' (?P<verb>needs|gives) '(?P<form>\w+)' of "
    r"'(?P<of>[\w.]+)' operation.*?: found (?:'(?P<name>[\w.]+)' operation(?:: @.*?)? at|(?P<text>.*))"
)
HELD = re.compile(
    r"note: it held (?:of '(?P<of>[\w.]+)' operation.* )?until '(?P<until>[\w-]+)'"
    r"(?:, which declares that it (?P<said>.*))?"
)


def sentences_running(text: str) -> list[str]:
    """Return each violation as a short sentence."""
    found = []
    for part in re.split(r"^\S+: error: (?=pass )", text, flags=re.MULTILINE)[1:]:
        violation, held = VIOLATION.match(part), HELD.search(part)
        assert violation, part
        sentence = "{pass} {verb} {form} of {of}".format(**violation.groupdict())
        sentence += f"; found {violation['name'] or violation['text']}"
        if held:
            of = f" of {held['of']}" if held["of"] else ""
            said = f" which {held['said']}" if held["said"] else ""
            sentence += f"; held{of} until {held['until']}{said}"
        found.append(sentence)
    return found
