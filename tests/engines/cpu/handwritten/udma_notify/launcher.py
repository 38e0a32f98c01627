"""Launches the exchange after clearing its words on all ranks."""

import torch

from a2agen import runtime

from .kernel import exchange


class Exchange:
    cores = 6

    def __init__(self, group, *, S, D):
        self._ranks = ranks = runtime.connect(group)
        self.S, self.D = S, D
        self._workspace = workspace = runtime.Workspace(ranks)
        self._P = workspace.symmetric((ranks.size, S, D), torch.bfloat16)
        self._ready = workspace.symmetric((ranks.size * 8,), torch.int64)
        self._C = workspace.local((S, ranks.size, D), torch.bfloat16)

    def __call__(self, A):
        ranks = self._ranks
        self._ready.zero_()
        ranks.synchronize()
        ranks.barrier()
        exchange[(self.cores,)](A, self._C, self._P, self._ready, ranks.rank, ranks.size, self.S, self.D)
        return self._C

    def close(self):
        self._workspace.close()
