"""A contract for import-linter: packages are entered by their facades."""

from __future__ import annotations

from typing import Any

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, fields, output
from importlinter.application.contract_utils import (
    AlertLevel,
    remove_ignored_imports_and_report,
)


class FacadesContract(Contract):
    """The modules of a package are imported by modules of the package alone.

    It holds for each package directly inside a root package, but for namespaces, whose
    modules are public.
    """

    type_name = "facades"

    # The instances have the values, which import-linter's types do not tell.
    roots: Any = fields.ListField(subfield=fields.StringField())
    namespaces: Any = fields.ListField(subfield=fields.StringField())
    ignore_imports: Any = fields.SetField(
        subfield=fields.ImportExpressionField(), required=False
    )

    def check(
        self,
        graph: ImportGraph,
        verbose: bool,  # noqa: FBT001 - the signature of import-linter
    ) -> ContractCheck:
        """Find the imports of modules from outside of their packages."""
        del verbose
        removed = remove_ignored_imports_and_report(
            graph=graph,
            ignore_imports=self.ignore_imports,
            unmatched_alerting=AlertLevel.ERROR,
        )
        packages = {
            package
            for root in self.roots
            for package in graph.find_children(root)
            if package not in self.namespaces
        }
        illegal = sorted(
            (importer, module)
            for package in packages
            for module in graph.find_descendants(package)
            for importer in graph.find_modules_that_directly_import(module)
            if not f"{importer}.".startswith(f"{package}.")
        )
        return ContractCheck(
            kept=not illegal,
            warnings=list(removed.warnings),
            metadata={"illegal_imports": illegal},
        )

    def render_broken_contract(self, check: ContractCheck) -> None:
        """Print the imports."""
        for importer, module in check.metadata["illegal_imports"]:
            output.print_error(f"- {importer} imports {module}, past the facade")
