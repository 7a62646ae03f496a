from loops_passes import UnrollLoopsPassBase
from passgen_runtime import STRING

PERCENTAGE = STRING


class Percentage: ...


SHARE = 3


class Bounds: ...


class UnrollLoops(UnrollLoopsPassBase):
    def run_on_operation(self):
        return (
            self.options.share,
            self.options.depths,
            self.options.text,
            self.options.part,
        )
