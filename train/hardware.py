"""Where and how a training computes. None of it belongs to a run: it may be resumed on other hardware, then not bit for bit."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from eightsenv.engine import check_threads

if TYPE_CHECKING:
    import torch

DEVICES = ("auto", "cpu", "cuda")
PRECISIONS = ("auto", "float32", "bfloat16")


@dataclass(frozen=True)
class Hardware:
    """What is asked for. Raises ``ValueError`` for an unknown name, a number of threads that makes no sense, a GPU where there is
    none, or without the compiler that ``torch.compile`` needs."""

    device: str = "auto"
    """``"auto"``: a GPU if there is one."""
    precision: str = "auto"
    """Of what the nets multiply; weights, optimizer and losses are float32 always. ``"auto"``: bfloat16 where the hardware has
    units for it."""
    compiled: bool = False
    """The loss goes through ``torch.compile``."""
    threads: int = 1
    """Torch's, and the core's. With small nets more than one rarely pays."""

    def __post_init__(self) -> None:
        if self.device not in DEVICES:
            raise ValueError(f"the device is one of {', '.join(map(repr, DEVICES))}, not {self.device!r}")
        if self.precision not in PRECISIONS:
            raise ValueError(f"the precision is one of {', '.join(map(repr, PRECISIONS))}, not {self.precision!r}")
        check_threads(self.threads)
        if self.device == "cuda":
            import torch

            if not torch.cuda.is_available():
                raise ValueError("the device 'cuda' is not there: Torch finds no GPU")
        if self.compiled and self.where().type == "cpu":
            from torch._inductor.cpp_builder import get_cpp_compiler
            from torch._inductor.exc import InvalidCxxCompiler

            try:
                get_cpp_compiler()
            except (InvalidCxxCompiler, OSError) as error:
                raise ValueError("torch.compile needs a C++ compiler: install g++, or name one in CXX") from error

    def where(self) -> torch.device:
        """The device; of several GPUs that of this process."""
        import torch

        if self.device == "cpu" or not torch.cuda.is_available():
            return torch.device("cpu")
        return torch.device("cuda", int(os.environ.get("LOCAL_RANK", 0)))

    def dtype(self) -> torch.dtype:
        """In which the nets multiply."""
        import torch

        gpu = self.where().type == "cuda"
        fast = torch.cuda.is_bf16_supported() if gpu else torch.cpu._is_amx_tile_supported()
        wanted = {"auto": fast, "float32": False, "bfloat16": True}[self.precision]
        return torch.bfloat16 if wanted else torch.float32

    def sparse(self) -> bool:
        """Whether first layers add up the weights of what is there (:mod:`eightsenv.train.sparse`), instead of multiplying by
        all the zeros: that is faster where there are no units for matrices. Torch does not compile it."""
        import torch

        return self.where().type == "cpu" and self.dtype() == torch.float32 and not self.compiled
