"""Memory: what a model takes of it, beside what is free."""

from dataclasses import dataclass


@dataclass(frozen=True)
class MemoryNeed:
    """What loading takes, about, and what is free before it; all in bytes.

    Attributes:
        weights: The file, mapped as it is.
        cache: What was read of the prompt, and earlier prompts that may come again.
        compute: Room for one batch, and the program that serves.
        free: What programs can still take without swapping.
    """

    weights: int
    cache: int
    compute: int
    free: int

    @property
    def total(self) -> int:
        """All of it together."""
        return self.weights + self.cache + self.compute

    @property
    def fits(self) -> bool:
        """Whether it can be loaded."""
        return self.total <= self.free

    @property
    def words(self) -> str:
        """Completes the name of the model to a sentence, without the stop."""
        return f"needs about {in_words(self.total)} of memory; {in_words(self.free)} are free"


def in_words(size: int) -> str:
    """A number of bytes as a person reads it."""
    return f"{size / 1e9:.1f} GB" if size >= 950_000_000 else f"{size / 1e6:.1f} MB"


def free_memory() -> int:
    """Bytes that programs can still take without swapping."""
    import psutil  # noqa: PLC0415 — comes with an extra

    return int(psutil.virtual_memory().available)
