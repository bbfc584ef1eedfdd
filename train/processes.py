"""The processes that ``torchrun`` starts to train together, on one machine or more; by default this one alone."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self, TypeVar

if TYPE_CHECKING:
    from torch import Tensor, nn

Result = TypeVar("Result")


class Processes:
    """All processes of a training. Without ``torchrun`` nothing here needs Torch, or does anything."""

    def __init__(self) -> None:
        """Join those that ``torchrun`` started, if it did; what they send each other lies in main memory, or on their GPUs."""
        self.count, self.rank = int(os.environ.get("WORLD_SIZE", 1)), int(os.environ.get("RANK", 0))
        if self.count > 1:
            import torch
            import torch.distributed as dist

            if not dist.is_initialized():
                gpus = torch.cuda.is_available()
                if gpus:
                    torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", 0)))
                dist.init_process_group("cpu:gloo,cuda:nccl" if gpus else "gloo")

    @classmethod
    def single(cls) -> Self:
        """This process alone, whoever else ``torchrun`` started."""
        processes = cls.__new__(cls)
        processes.count, processes.rank = 1, 0
        return processes

    @property
    def first(self) -> bool:
        """Whether this is the process that plans and writes."""
        return self.rank == 0

    def shared(self, make: Callable[[], Result]) -> Result:
        """What the first process makes, for all. Raises its ``ValueError`` in all."""
        if self.count == 1:
            return make()
        import torch
        import torch.distributed as dist

        made: list[Any] = [None]
        if self.first:
            try:
                made = [make()]
            except ValueError as error:
                made = [error]
        dist.broadcast_object_list(made, device=torch.device("cpu"))
        if isinstance(made[0], ValueError):
            raise made[0]
        return made[0]

    def mean(self, tensor: Tensor) -> Tensor:
        """The mean over the processes, in place."""
        if self.count > 1:
            import torch.distributed as dist

            dist.all_reduce(tensor)
            tensor /= self.count
        return tensor

    def average_gradients(self, parameters: list[nn.Parameter]) -> None:
        """Every process's gradients become the mean of all: one message for all of them."""
        if self.count == 1:
            return
        import torch

        gradients = [p.grad for p in parameters if p.grad is not None]
        flat = self.mean(torch.cat([gradient.flatten() for gradient in gradients]))
        for gradient, part in zip(gradients, flat.split([gradient.numel() for gradient in gradients]), strict=True):
            gradient.copy_(part.view_as(gradient))

    def spread(self, net: nn.Module) -> None:
        """Every process's net becomes the first one's."""
        if self.count > 1:
            import torch.distributed as dist

            for tensor in net.state_dict().values():
                dist.broadcast(tensor, 0)

    def leave(self) -> None:
        """End the connections."""
        if self.count > 1:
            import torch.distributed as dist

            dist.destroy_process_group()
