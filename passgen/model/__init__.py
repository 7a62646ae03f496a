"""Pass groups, passes, options, statistics and pipelines as frozen dataclasses."""

# ruff: noqa: I001 - `A as A` re-exports A; isort would write an import per name

from passgen.model.constraints import (
    NO_FORMS as NO_FORMS,
    UNCONSTRAINED as UNCONSTRAINED,
    Constraints as Constraints,
    FormRules as FormRules,
    Ignore as Ignore,
    Name as Name,
    OrderingRule as OrderingRule,
    Partner as Partner,
)
from passgen.model.cpp import (
    MAX_DESCRIPTION_INDENT as MAX_DESCRIPTION_INDENT,
    CppGroup as CppGroup,
    CppOption as CppOption,
    CppPass as CppPass,
    CppStatistic as CppStatistic,
    DescriptionLayout as DescriptionLayout,
    TablegenPart as TablegenPart,
)
from passgen.model.examples import Example as Example
from passgen.model.forms import Form as Form
from passgen.model.group import (
    Anchor as Anchor,
    ExternalPass as ExternalPass,
    OperationClass as OperationClass,
    Pass as Pass,
    PassGroup as PassGroup,
    Pipeline as Pipeline,
    Statistic as Statistic,
)
from passgen.model.ir_libraries import (
    DEFAULT_IR_LIBRARY as DEFAULT_IR_LIBRARY,
    IR_LIBRARIES as IR_LIBRARIES,
    IRLibrary as IRLibrary,
)
from passgen.model.option_types import (
    FOREIGN as FOREIGN,
    OPTION_TYPES as OPTION_TYPES,
    OPTIONAL_BOOL as OPTIONAL_BOOL,
    OptionTypeRow as OptionTypeRow,
)
from passgen.model.options import (
    EnumValue as EnumValue,
    Option as Option,
    OptionDefault as OptionDefault,
    OptionType as OptionType,
    OptionValue as OptionValue,
)
from passgen.model.patterns import (
    DEFAULT_DRIVER as DEFAULT_DRIVER,
    NativeFunction as NativeFunction,
    PatternDriver as PatternDriver,
    OWN_FUNCTIONS as OWN_FUNCTIONS,
    PatternVariable as PatternVariable,
    RewritePattern as RewritePattern,
)
from passgen.model.pipelines import (
    Analysis as Analysis,
    Block as Block,
    BlockKind as BlockKind,
    Bundle as Bundle,
    BundleElement as BundleElement,
    Condition as Condition,
    ConditionValue as ConditionValue,
    Element as Element,
    OptionReference as OptionReference,
    OptionSetting as OptionSetting,
    PassElement as PassElement,
    PipelineElement as PipelineElement,
    Scalar as Scalar,
    SetOption as SetOption,
    outline as outline,
    without_blocks as without_blocks,
)
from passgen.model.remarks import Remark as Remark, RemarkField as RemarkField
from passgen.model.tablegen_records import (
    INTERFACE_PASS_CLASSES as INTERFACE_PASS_CLASSES,
    LIST_OPTION_CLASSES as LIST_OPTION_CLASSES,
    OPTION_CLASSES as OPTION_CLASSES,
    PASS_CLASSES as PASS_CLASSES,
    STATISTIC_CLASSES as STATISTIC_CLASSES,
    Fields as Fields,
    FieldValue as FieldValue,
    OptionRecord as OptionRecord,
    PassRecord as PassRecord,
    StatisticRecord as StatisticRecord,
    record_order as record_order,
)
