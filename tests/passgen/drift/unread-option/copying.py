import dataclasses

import loops_passes


class CopyLoops(loops_passes.CopyLoopsPassBase):
    def run_on_operation(self):
        print(dataclasses.asdict(self.options))
