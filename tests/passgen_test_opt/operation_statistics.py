"""A pass that runs on any IR: it sees operations through the context only."""

from __future__ import annotations

from passgen_runtime.context import Operation
from tests.passgen_test_opt.generated.test_passes import (
    TestOperationStatisticsPassBase,
)


class TestOperationStatisticsPass(TestOperationStatisticsPassBase):
    def run_on_operation(self) -> None:
        self._count_inside(self.operation)
        self.mark_all_analyses_preserved()

    def _count_inside(self, operation: Operation) -> None:
        for child in self.context.children(operation):
            self.num_operations += 1
            prefix = self.options.prefix
            if prefix and self.context.name(child).startswith(prefix):
                self.num_matching += 1
            self._count_inside(child)
