"""Checks of pipelines, bundles, ordering rules and forms."""

# ruff: noqa: I001 - `A as A` re-exports A; isort would write an import per name

from passgen.checks.pipelines.form_gaps import (
    FormGap as FormGap,
    form_gaps as form_gaps,
)
from passgen.checks.pipelines.form_names import (
    check_form_names as check_form_names,
    has_same_forms as has_same_forms,
)
from passgen.checks.pipelines.form_steps import known_forms as known_forms
from passgen.checks.pipelines.forms import check_forms as check_forms
from passgen.checks.pipelines.inclusion import check_inclusion as check_inclusion
from passgen.checks.pipelines.options import (
    check_pipeline_options as check_pipeline_options,
    check_settings as check_settings,
)
from passgen.checks.pipelines.ordering import (
    check_order as check_order,
    check_rule_cycles as check_rule_cycles,
)
from passgen.checks.pipelines.references import (
    KnownPass as KnownPass,
    check_constraint_names as check_constraint_names,
    check_element_names as check_element_names,
    known_passes as known_passes,
    needed_groups as needed_groups,
    with_unknown as with_unknown,
)
