from loops_passes import UnrollLoopsPassBase

PERCENTAGE = object()


class Bounds: ...


class UnrollLoops(UnrollLoopsPassBase):
    def run_on_operation(self):
        return self.options.share, self.options.depths, self.options.text
