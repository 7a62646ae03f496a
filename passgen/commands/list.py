"""`passgen list`: the passes that specs declare."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

from passgen import model
from passgen.commands import reporting
from passgen.commands.outcome import EXIT_FINE, EXIT_WRONG, CommandParser, Outcome
from passgen.diagnostics import for_terminal
from passgen.findings import read_input
from passgen.output import json_text
from passgen.spec import PartError, mistakes
from passgen.targets.markdown import examples_of


class _ListArguments(argparse.Namespace):
    specs: list[str]
    json: bool = False


def run(argv: Sequence[str], _folder: Path | None) -> Outcome:
    """List the passes of the specs in `argv`."""
    parser = CommandParser("passgen list")
    parser.add_argument(
        "specs", metavar="SPEC", nargs="+", help="a spec; - reads standard input"
    )
    parser.add_argument(
        "--json", action="store_true", help="print all properties as JSON, for programs"
    )
    arguments = parser.parse_args(argv, _ListArguments())
    if arguments.json:
        return _as_json(arguments.specs)
    groups: list[model.PassGroup] = []
    parts: dict[str, PartError] = {}
    for spec in arguments.specs:
        try:
            groups.append(read_input(spec))
        except PartError as error:
            parts[spec] = error
    for mistake in mistakes(parts, groups).values():
        raise mistake
    return Outcome(text=text(groups))


def _as_json(specs: Sequence[str]) -> Outcome:
    """Return the groups of the right specs, and the errors in the others."""
    groups, refused = reporting.read_each(specs, read_input)
    refused = reporting.without_parts(refused, groups)
    errors = [found for refusal in refused for found in refusal.objects()]
    answer: Json = {"groups": [_group(group) for group in groups]}
    if errors:
        answer["diagnostics"] = errors
    return Outcome(text=json_text(answer), code=EXIT_WRONG if errors else EXIT_FINE)


Json: TypeAlias = dict[str, Any]


def text(groups: Sequence[model.PassGroup]) -> str:
    """Return names and summaries of passes, pipelines and bundles, group by group."""
    listed = [(group, _entries(group)) for group in groups]
    width = max((len(name) for _, entries in listed for name, _ in entries), default=0)
    blocks = []
    for group, entries in listed:
        title = group.title
        heading = f"{title}: {group.summary}" if group.summary else title
        lines = [f"  {name:<{width}}  {summary}".rstrip() for name, summary in entries]
        blocks.append("\n".join([heading, *lines]) + "\n")
    return for_terminal("\n".join(blocks))


def _entries(group: model.PassGroup) -> list[tuple[str, str]]:
    return [
        *((pass_.argument, _format(pass_)) for pass_ in group.passes),
        *(
            (pipeline.argument, f"{pipeline.summary} (pipeline)")
            for pipeline in group.pipelines
        ),
        *((bundle.name, f"{bundle.summary} (bundle)") for bundle in group.bundles),
    ]


def _format(pass_: model.Pass) -> str:
    return f"{pass_.summary} (deprecated)" if pass_.deprecated else pass_.summary


def _group(group: model.PassGroup) -> Json:
    return {
        "name": group.name,
        "spec": group.location.source.name,
        "summary": group.summary,
        **_nonempty(group, "ir"),
        "passes": [_pass(pass_) for pass_ in group.passes],
        "pipelines": [_pipeline(pipeline) for pipeline in group.pipelines],
        "bundles": [_bundle(bundle) for bundle in group.bundles],
    }


def _facts(entry: object, *names: str) -> Json:
    """Return the attributes of `entry` that are called `names`."""
    return {name: getattr(entry, name) for name in names}


def _nonempty(entry: object, *names: str) -> Json:
    """Return those of these attributes that are not empty."""
    return {name: value for name, value in _facts(entry, *names).items() if value}


def _describe(entry: model.Pass | model.Pipeline) -> Json:
    facts = _facts(entry, "name", "argument", "summary", "description")
    return facts | _anchor(entry.anchor)


def _pass(pass_: model.Pass) -> Json:
    return {
        **_describe(pass_),
        "tags": [tag.name for tag in pass_.constraints.tags],
        "dependentDialects": [
            dependent_dialect.name for dependent_dialect in pass_.dependent_dialects
        ],
        **_nonempty(
            pass_, "constructor", "native", "required", "idempotent", "deprecated"
        ),
        "options": [_option(option) for option in pass_.options],
        "statistics": [_statistic(statistic) for statistic in pass_.statistics],
        **_forms(pass_.constraints.forms),
        **_remarks(pass_),
        **_patterns(pass_),
        **_examples(pass_),
        "line": pass_.location.line,
    }


def _pipeline(pipeline: model.Pipeline) -> Json:
    return {
        **_describe(pipeline),
        "options": [_option(option) for option in pipeline.options],
        **_forms(pipeline.forms),
        "line": pipeline.location.line,
    }


def _forms(rules: model.FormRules) -> Json:
    forms = {key: list(map(str, names)) for key, names in rules.named if names}
    if rules.creates is not None:
        forms["creates"] = list(map(str, rules.creates))
    return {"forms": forms} if forms else {}


def _bundle(bundle: model.Bundle) -> Json:
    facts = _facts(bundle, "name", "summary", "description")
    return facts | {"line": bundle.location.line}


def _anchor(anchor: model.Anchor | None) -> Json:
    if anchor is None:
        return {}
    return {"anchor" if anchor.kind == "operation" else "interface": anchor.name}


def _option(option: model.Option) -> Json:
    values = [_facts(value, "value", "description") for value in option.type.values]
    return {
        **_facts(option, "name", "argument"),
        "listOf" if option.is_list else "type": _type(option.type),
        **({} if option.default is None else {"default": option.default}),
        **({option.presence: True} if option.presence else {}),
        **({"values": values} if values else {}),
        "description": option.description,
        **_nonempty(option, "deprecated"),
        **_outside_access(option),
    }


def _outside_access(option: model.Option) -> Json:
    declared = option.outside_access
    return {} if declared is None else {"outsideAccess": declared}


def _type(type_: model.OptionType) -> str | Json:
    spelled = {"python": type_.python, "cpp": type_.cpp}
    return {name: text for name, text in spelled.items() if text} or type_.name


def _remarks(pass_: model.Pass) -> Json:
    remarks = [
        {
            **_facts(remark, "name", "kind", "message"),
            "fields": [
                {
                    "name": field.name,
                    "listOf" if field.is_list else "type": field.type,
                    "description": field.description,
                }
                for field in remark.fields
            ],
            "description": remark.description,
            **_nonempty(remark, "advice"),
        }
        for remark in pass_.remarks
    ]
    return {"remarks": remarks} if remarks else {}


def _patterns(pass_: model.Pass) -> Json:
    if not pass_.patterns:
        return {}
    names = "name", "summary", "description", "benefit", "before", "after"
    patterns = [_facts(pattern, *names) for pattern in pass_.patterns]
    return {"driver": pass_.driver.name, "patterns": patterns}


def _examples(pass_: model.Pass) -> Json:
    examples = [
        {
            **_facts(entry.declared, "input"),
            "pipeline": entry.pipeline,
            **_nonempty(entry.declared, "check", "output", "ir"),
            "file": entry.declared.location.source.name,
            "line": entry.declared.location.line,
            "resultLine": entry.declared.result_location.line,
        }
        for entry in examples_of(pass_)
    ]
    return {"examples": examples} if examples else {}


def _statistic(statistic: model.Statistic) -> Json:
    return {
        "name": statistic.name,
        "displayName": statistic.display_name,
        "description": statistic.description,
        **({"kind": statistic.kind} if statistic.is_maximum else {}),
    }
