"""What a pass over several positions costs a machine: bytes, operations, and the longer of both.

A pass reads the weights once, whatever the number of positions; the operations grow with them.
"""

from __future__ import annotations

from dataclasses import dataclass

from draftproof.finite import as_number, check_number, check_whole, show_value

__all__ = [
    "HARDWARE",
    "MODELS",
    "Hardware",
    "Shape",
    "experts_loaded",
    "intensity",
    "verification_price",
]


@dataclass(frozen=True)
class Hardware:
    """A machine as the roofline sees it.

    Attributes
    ----------
    name : str
    bandwidth : float
        Bytes a second from memory.
    peak : float
        Operations a second (dense, 16-bit), as the vendor states them.

    Raises
    ------
    ValueError
        If `bandwidth` or `peak` is not a positive number.
    """

    name: str
    bandwidth: float
    peak: float

    def __post_init__(self) -> None:
        check_number(self.bandwidth, "bandwidth", 0, above=True)
        check_number(self.peak, "peak", 0, above=True)

    @property
    def ridge(self) -> float:
        """Operations for one byte at which the machine turns from memory- to compute-bound."""
        return self.peak / self.bandwidth


HARDWARE: dict[str, Hardware] = {
    machine.name: machine
    for machine in (
        Hardware("H100 SXM", 3.35e12, 989e12),
        Hardware("H200", 4.8e12, 989e12),
        Hardware("MI300X", 5.3e12, 1307e12),
        Hardware("laptop CPU", 80e9, 1e12),
    )
}
"""Vendors' data-sheet values; the laptop is an order of magnitude, not a product."""


@dataclass(frozen=True)
class Shape:
    """A dense transformer as the roofline sees it: how much it weighs, how much it remembers.

    Attributes
    ----------
    name : str
    layers, width, feed : int
        Blocks, size of the residual stream, and size inside a (gated) feed-forward part.
    heads, kv_heads, head : int
        Query heads, heads of keys and values that they share, and the size of one head.
    vocabulary : int
        Tokens; the table that reads them and the one that scores them are two.

    Raises
    ------
    ValueError
        If a size is not a whole number of at least 1.
    """

    name: str
    layers: int
    width: int
    feed: int
    heads: int
    kv_heads: int
    head: int
    vocabulary: int

    def __post_init__(self) -> None:
        for size in ("layers", "width", "feed", "heads", "kv_heads", "head", "vocabulary"):
            check_whole(getattr(self, size), size, 1)

    @property
    def parameters(self) -> int:
        """All weights: attention, gated feed-forward, norms, and two tables of tokens."""
        attention = 2 * self.width * self.head * (self.heads + self.kv_heads)
        block = attention + 3 * self.width * self.feed + 2 * self.width
        return self.layers * block + self.width + 2 * self.vocabulary * self.width

    @property
    def kv_bytes(self) -> int:
        """Bytes of keys and values that one token leaves in the cache, at 16 bits a number."""
        return 2 * 2 * self.layers * self.kv_heads * self.head


MODELS: dict[str, Shape] = {
    model.name: model
    for model in (
        Shape("Llama 3 8B", 32, 4096, 14336, 32, 8, 128, 128_256),
        Shape("Llama 3 70B", 80, 8192, 28672, 64, 8, 128, 128_256),
        Shape("Llama 3 405B", 126, 16384, 53248, 128, 8, 128, 128_256),
    )
}
"""Sizes from table 3 of Grattafiori et al. (2024), The Llama 3 Herd of Models, arXiv:2407.21783;
the vocabulary is that of the published tokenizer: 128 000 tokens and 256 special ones."""


def _work(
    parameters: float, rows: int, batch: int, kv_bytes: float, bytes_per_parameter: float
) -> tuple[float, float]:
    """Return operations and bytes of one pass over `rows` positions of `batch` sequences."""
    check_number(parameters, "parameters", 0, above=True)
    check_number(bytes_per_parameter, "bytes_per_parameter", 0, above=True)
    check_number(kv_bytes, "kv_bytes", 0)
    positions = check_whole(rows, "rows", 1) * check_whole(batch, "batch", 1)
    return 2.0 * parameters * positions, parameters * bytes_per_parameter + batch * kv_bytes


def intensity(
    parameters: float,
    rows: int,
    *,
    batch: int = 1,
    kv_bytes: float = 0.0,
    bytes_per_parameter: float = 2.0,
) -> float:
    r"""Return operations for one byte of a pass over `rows` positions.

    .. math:: \frac{2 N \cdot rows \cdot batch}{N b + batch \cdot KV}

    Parameters
    ----------
    parameters : float
        N, a number of weights.
    rows : int
        Positions scored in one sequence (gamma + 1 when verifying).
    batch : int
        Sequences.
    kv_bytes : float
        Bytes of cached keys and values read for one sequence.
    bytes_per_parameter : float
        b: 2 for 16-bit weights.

    Returns
    -------
    float
        Operations per byte.

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    flops, moved = _work(parameters, rows, batch, kv_bytes, bytes_per_parameter)
    return flops / moved


def verification_price(
    hardware: Hardware,
    parameters: float,
    rows: int,
    *,
    batch: int = 1,
    kv_bytes: float = 0.0,
    bytes_per_parameter: float = 2.0,
) -> float:
    r"""Return v, the ideal time of a pass over `rows` positions over that of one position.

    Each pass takes the longer of its memory and its compute time (the roofline).

    Parameters
    ----------
    hardware : Hardware
    parameters, rows, batch, kv_bytes, bytes_per_parameter
        As `intensity`.

    Returns
    -------
    float
        At least 1.

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    if not isinstance(hardware, Hardware):
        raise ValueError(f"hardware must be a Hardware, got {show_value(hardware)}")

    def seconds(positions: int) -> float:
        flops, moved = _work(parameters, positions, batch, kv_bytes, bytes_per_parameter)
        return max(flops / hardware.peak, moved / hardware.bandwidth)

    return seconds(rows) / seconds(1)


def experts_loaded(experts: int, active: int, rows: int) -> float:
    r"""Return how many experts a mixture loads for some rows, if each picks uniformly.

    .. math:: E \Bigl(1 - \bigl(1 - \tfrac{k}{E}\bigr)^{rows}\Bigr)

    Parameters
    ----------
    experts, active : int
        How many there are (E), and how many one row picks (k).
    rows : int
        Positions in the pass.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If a count is below 1 or `active` exceeds `experts`.
    """
    check_whole(experts, "experts", 1)
    check_whole(active, "active", 1, experts)
    check_whole(rows, "rows", 1)
    return as_number(experts * (1 - (1 - active / experts) ** rows))  # type: ignore[no-any-return]
