"""Launches the exchange, again and again without host synchronisation."""

import torch

from a2agen import runtime

from .kernel import exchange


class Exchange:
    cores = 4

    def __init__(self, group, *, S, D):
        self._ranks = ranks = runtime.connect(group)
        self.S, self.D = S, D
        self._workspace = workspace = runtime.Workspace(ranks)
        self._P = workspace.symmetric((ranks.size, S, D), torch.bfloat16)
        self._C = workspace.local((S, ranks.size, D), torch.bfloat16)

    def __call__(self, A):
        ranks = self._ranks
        exchange[(self.cores,)](A, self._C, self._P, ranks.rank, ranks.size, self.S, self.D)
        return self._C

    def close(self):
        self._workspace.close()
