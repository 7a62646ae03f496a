from loops_passes import UnrollLoopsPassBase


class UnrollLoops(UnrollLoopsPassBase):
    def run_on_operation(self):
        self.num_added += 1
        self.num_set = 3
        count(self.num_handed)
        self.num_called.add(2)
        if self.num_compared > 3:
            return
        setattr(self, "num_named", 4)


def count(statistic):
    statistic += 1
