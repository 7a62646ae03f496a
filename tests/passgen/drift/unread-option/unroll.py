from __future__ import annotations

from loops_passes import JamLoopsPassBase as Jam
from loops_passes import UnrollLoopsOptions, UnrollLoopsPassBase

from limits import limit


class Base(UnrollLoopsPassBase):
    def factor(self):
        return self.options.read_in_base


class UnrollLoops(Base):
    def run_on_operation(self):
        match self.options:
            case UnrollLoopsOptions(read_in_match=value):
                print(value, getattr(self.options, "read_by_name"))
        self.options.only_set = 1
        setattr(self.options, "only_set_by_name", 1)
        del self.options.only_deleted
        self.options.read_to_count_up += 1
        unroll(self.options)
        return self.options.read_here + limit(self.options)


def unroll(options):
    return options.read_in_function


class JamLoops(Jam):
    def run_on_operation(self):
        return self.options.read_by_other
