"""Launches the hand-written pipelined kernel, as a generated launcher does."""

import torch

from a2agen import runtime

from .kernel import reverse_all2all_mte_pipelined


class Exchange:
    """Reverse all-to-all over the ranks of `group`: A [(to S) H D] -> C [S (from H) D], bf16."""

    cores = 48

    def __init__(self, group, *, S, H, D):
        ranks = runtime.connect(group)
        self._ranks = ranks
        W = ranks.size
        runtime.check_extent("W", W, 2, 8)
        runtime.check_extent("S", S, 1, 1024)
        runtime.check_extent("H", H, 1, 16)
        runtime.check_extent("D", D, 1, 7168)
        self.S, self.H, self.D = S, H, D
        self._workspace = runtime.Workspace(ranks)
        self._P = self._workspace.symmetric((2 * 8 * W * H * D,), torch.bfloat16)
        self._words = self._workspace.symmetric((2 * H * -(-D // 256) * W * 8,), torch.int64)
        self._C = self._workspace.local((S, W * H, D), torch.bfloat16)
        self._words.zero_()
        ranks.synchronize()
        ranks.barrier()

    @property
    def workspace_bytes(self):
        return self._workspace.bytes

    def __call__(self, A, out=None):
        ranks, S, H, D = self._ranks, self.S, self.H, self.D
        W = ranks.size
        runtime.check_tensor("A", A, (W * S, H, D), torch.bfloat16, ranks.device)
        C = self._C if out is None else out
        runtime.check_tensor("out", C, (S, W * H, D), torch.bfloat16, ranks.device)
        reverse_all2all_mte_pipelined[(self.cores,)](A, C, self._P, self._words, ranks.rank, W, S, H, D)
        return C

    def close(self):
        self._workspace.close()
