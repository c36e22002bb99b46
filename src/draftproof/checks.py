"""What the public functions take: numbers, counts, uniforms, generators, or a clear refusal."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import prod
from numbers import Integral, Rational, Real
from pathlib import Path
from typing import Any

import numpy as np
from numpy import typing as npt
from numpy.typing import NDArray

__all__ = [
    "LARGEST",
    "MOST_STEPS",
    "TOLERANCE",
    "Array",
    "ArrayLike",
    "as_array",
    "as_exact",
    "as_number",
    "as_numbers",
    "check_flag",
    "check_number",
    "check_path",
    "check_rng",
    "check_size",
    "check_uniforms",
    "check_whole",
    "is_exact",
    "show_value",
]

Array = NDArray[Any]

# What functions take. numpy's own type leaves out lists of Fractions.
ArrayLike = npt.ArrayLike | Sequence[Fraction] | Sequence[Sequence[Fraction]]

# How far a law's sum may lie from 1, by the precision of the numbers it came in.
TOLERANCE = {np.dtype(np.float64): 1e-6, np.dtype(np.float32): 1e-4, np.dtype(np.float16): 1e-2}

# The most numbers that one call makes: half a GiB in float64. Beyond it, draw in several calls.
LARGEST = 2**26

# The most steps that one call makes one after another, whatever is done side by side in each.
MOST_STEPS = 2**18

# The most axes of a result: numpy 1 has 32, and some functions add one of their own.
_MOST_AXES = 30


def show_value(value: object) -> str:
    """Return a short ``repr`` of `value` for an error message.

    Parameters
    ----------
    value : object

    Returns
    -------
    str
        At most 80 characters, on one line.
    """
    text = " ".join(_text(value, 3).split())
    return text if len(text) <= 80 else text[:77] + "..."


def _text(value: object, depth: int) -> str:
    """Return the ``repr`` of a value whose parts may be numpy's, or too long to print."""
    if type(value) in (list, tuple) and depth:
        parts = [_text(one, depth - 1) for one in value[:20]]  # type: ignore[index]
        inner = ", ".join(parts + ["..."] * (len(value) > 20))  # type: ignore[arg-type]
        if isinstance(value, list):
            return f"[{inner}]"
        return f"({inner},)" if len(parts) == 1 else f"({inner})"
    try:
        # np.float64(1.1) reads 1.1
        return str(value) if isinstance(value, (np.number, np.bool_)) else repr(value)
    except Exception:  # a number of more digits than Python prints, or a repr that fails
        return f"a {type(value).__name__} that cannot be printed"


def is_exact(values: ArrayLike) -> bool:
    """Tell whether `values` is an array of Fractions, as the functions here return it.

    Parameters
    ----------
    values : array_like

    Returns
    -------
    bool
    """
    try:
        return as_array(values, "values").dtype == object
    except ValueError:  # a ragged list
        return False


def as_array(values: Any, name: str) -> Array:
    """Return `values` as an array, whatever its numbers are; tensors are read as they are.

    Parameters
    ----------
    values : array_like or tensor
        A tensor may need a gradient, lie on a device, or hold bfloat16: it is detached, fetched
        and, if numpy has no such type, made float32.
    name : str
        How the error message calls the argument.

    Returns
    -------
    ndarray

    Raises
    ------
    ValueError
        If numpy makes no array of it, such as a ragged list, or it is a masked array: what lies
        under a mask is no number to compute with.
    """
    if _is_masked(values):
        raise ValueError(
            f"{name} must be a plain array, got a masked one: fill the masked entries or drop them"
        )
    try:
        return np.asarray(_fetched(values))
    except Exception as error:  # ragged lists, what claims to be an array and is none
        reason = " ".join(str(error).split())[:120]
        raise ValueError(
            f"{name} must be an array of numbers, got {show_value(values)}: {reason}"
        ) from error


def _is_masked(values: object, depth: int = 4) -> bool:
    """Tell whether a masked array is among the values; lists of lists are searched as well."""
    if isinstance(values, (list, tuple)) and depth:
        looked_into = (list, tuple, np.ma.MaskedArray)
        return any(isinstance(v, looked_into) and _is_masked(v, depth - 1) for v in values)
    return isinstance(values, np.ma.MaskedArray)


def _is_bfloat16(values: object) -> bool:
    dtype: Any = getattr(values, "dtype", "")
    # numpy's own types are none of it: told without spelling their names out, which is slow.
    return getattr(dtype, "isbuiltin", 0) != 1 and str(dtype).endswith("bfloat16")


def _fetched(values: Any) -> Any:
    """Return a tensor as something that numpy can read, without asking whose tensor it is."""
    for step in ("detach", "cpu"):
        values = getattr(values, step)() if callable(getattr(values, step, None)) else values
    if _is_bfloat16(values):
        # torch has a method for it, the arrays of ml_dtypes convert.
        return values.float() if hasattr(values, "float") else np.asarray(values, np.float32)
    return values


def as_number(value: Any) -> Any:
    """Return plain numbers instead of numpy's zero-dimensional ones.

    Parameters
    ----------
    value : object

    Returns
    -------
    object
        An int, float or Fraction for a zero-dimensional array; anything else as it came.
    """
    zero_dimensional = isinstance(value, (np.ndarray, np.generic)) and value.ndim == 0
    return value.item() if zero_dimensional else value


def _is_bool(value: object) -> bool:
    return isinstance(value, (bool, np.bool_))


def as_numbers(values: ArrayLike, name: str) -> tuple[Array, np.dtype[Any]]:
    """Return `values` as float64 or as Fractions, and the dtype that sets their tolerance.

    Parameters
    ----------
    values : array_like or tensor
    name : str
        How the error message calls the argument.

    Returns
    -------
    array : ndarray
        float64, or object (Fractions).
    dtype : numpy.dtype
        What the numbers came in: a key of `TOLERANCE`, or object. bfloat16 counts as float16.

    Raises
    ------
    ValueError
        If an entry is not a real number, Fractions and floats are mixed, or the array is masked.
    """
    raw = as_array(values, name)
    if raw.dtype == object:
        exact = _fractions(raw, name)
        return exact, exact.dtype
    if raw.dtype.kind not in "fiu":
        raise ValueError(f"{name} must hold real numbers, got {show_value(values)}")
    came = np.dtype(np.float16) if _is_bfloat16(values) else raw.dtype
    kept = came if came in TOLERANCE else np.dtype(np.float64)
    return raw.astype(np.float64, order="C"), kept


def _fractions(raw: Array, name: str) -> Array:
    """Return an array of Fractions; float64 if every entry is a float after all."""
    flat = raw.reshape(-1).tolist()
    if flat and all(isinstance(value, float) for value in flat):
        return raw.astype(np.float64)
    flat = [
        int(value) if isinstance(value, float) and value.is_integer() else value for value in flat
    ]
    if any(_is_bool(value) or not isinstance(value, Rational) for value in flat):
        if all(isinstance(value, (Rational, float, np.floating)) for value in flat):
            raise ValueError(
                f"{name} must be all Fractions or all floats, got a mixture {show_value(flat)}"
            )
        raise ValueError(f"{name} must hold real numbers, got {show_value(flat)}")
    exact = np.empty(raw.size, dtype=object)
    # int() because a numpy integer inside a Fraction would overflow in silence.
    exact[:] = [Fraction(int(value.numerator), int(value.denominator)) for value in flat]
    return exact.reshape(raw.shape)


def check_flag(value: object, name: str) -> bool:
    """Return `value` if it is True or False.

    Parameters
    ----------
    value : object
    name : str
        How the error message calls the argument.

    Returns
    -------
    bool

    Raises
    ------
    ValueError
        If it is anything else: a number, None, an array.
    """
    if not _is_bool(value):
        raise ValueError(f"{name} must be True or False, got {show_value(value)}")
    return bool(value)


def check_rng(rng: object, name: str = "rng") -> np.random.Generator:
    """Return `rng` if it is a `numpy.random.Generator`.

    Parameters
    ----------
    rng : object
    name : str
        How the error message calls the argument.

    Returns
    -------
    numpy.random.Generator

    Raises
    ------
    ValueError
        If it is anything else: a seed, the legacy ``RandomState``, None.
    """
    if not isinstance(rng, np.random.Generator):
        raise ValueError(
            f"{name} must be a numpy.random.Generator such as numpy.random.default_rng(0), "
            f"got {show_value(rng)}"
        )
    return rng


def check_whole(value: object, name: str, low: int = 0, high: int | None = None) -> int:
    """Return `value` as an int if it is a whole number in [`low`, `high`].

    Parameters
    ----------
    value : object
        An int or a numpy integer; a bool is not a count.
    name : str
        How the error message calls the argument.
    low : int
    high : int, optional
        None stands for 2**53, up to which floats still count one by one.

    Returns
    -------
    int

    Raises
    ------
    ValueError
        If it is not whole or out of range.
    """
    most = 2**53 if high is None else high
    whole = isinstance(value, Integral) and not _is_bool(value)
    if not whole or not low <= int(value) <= most:  # type: ignore[call-overload]
        least = high is None and not (whole and int(value) > most)  # type: ignore[call-overload]
        allowed = f"a whole number of at least {low}" if least else f"in {low}..{most}"
        raise ValueError(f"{name} must be {allowed}, got {show_value(value)}")
    return int(value)  # type: ignore[call-overload, no-any-return]


def check_number(
    value: Any,
    name: str,
    low: float = -1e100,
    high: float = 1e100,
    *,
    above: bool = False,
    below: bool = False,
) -> Any:
    """Return `value` if it is a real number in [`low`, `high`].

    Parameters
    ----------
    value : object
        int, float, Fraction or a numpy number; a bool is not a number here.
    name : str
        How the error message calls the argument.
    low, high : float
        The defaults leave room for what is computed from the number to stay finite.
    above, below : bool
        Exclude the lower, the upper end.

    Returns
    -------
    int, float or Fraction
        Plain, not a numpy scalar.

    Raises
    ------
    ValueError
        If it is not a real number, or out of range.
    """
    plain = float(value) if isinstance(value, np.floating) else as_number(value)
    real = isinstance(plain, Real) and not _is_bool(plain) and not _is_masked(value)
    inside = real and low <= plain <= high
    if not inside or (above and plain == low) or (below and plain == high):
        ends = f"{'(' if above else '['}{low:g}, {high:g}{')' if below else ']'}"
        raise ValueError(f"{name} must be a number in {ends}, got {show_value(value)}")
    return plain


def check_path(value: object, name: str) -> Path:
    """Return the path that a value is, if it can be one.

    Parameters
    ----------
    value : object
    name : str
        How the error message calls the argument.

    Returns
    -------
    Path
        Whether a file is there is not looked at.

    Raises
    ------
    ValueError
        If it is no str and no Path, or holds a null character.
    """
    if not isinstance(value, (str, Path)) or "\0" in str(value):
        raise ValueError(
            f"{name} must be a str or a Path without null characters, got {show_value(value)}"
        )
    return Path(value)


def as_exact(value: float | Fraction) -> Fraction:
    """Return a number as a Fraction; a float counts as the decimal that it prints as.

    Beside Fractions 0.3 is meant as 3/10, not as the nearest binary fraction.

    Parameters
    ----------
    value : int, float or Fraction
        Checked already.

    Returns
    -------
    Fraction
    """
    return Fraction(repr(value)) if isinstance(value, float) else Fraction(value)


def check_uniforms(u: ArrayLike, name: str = "uniforms") -> Array:
    """Return `u` as float64 if every entry lies in [0, 1).

    Parameters
    ----------
    u : array_like
    name : str
        How the error message calls the argument.

    Returns
    -------
    ndarray of float64

    Raises
    ------
    ValueError
        If an entry is not a number in [0, 1).
    """
    array, _ = as_numbers(u, name)
    inside = (array >= 0) & (array < 1)
    if not inside.all():
        where = tuple(int(i) for i in np.argwhere(~inside)[0])
        raise ValueError(
            f"{name} must lie in [0, 1), got {show_value(array[where])} at index {where}"
        )
    # A Fraction just below 1 must not round up to it.
    return np.asarray(np.minimum(array.astype(np.float64), np.nextafter(1, 0)))


def check_size(size: object, name: str = "size") -> int | tuple[int, ...] | None:
    """Return `size` if it is None, a whole number or a tuple of them.

    Parameters
    ----------
    size : object
    name : str
        How the error message calls the argument.

    Returns
    -------
    None, int or tuple of int

    Raises
    ------
    ValueError
        If it is anything else, negative, or stands for more than `LARGEST` numbers or 30 axes.
    """
    if size is None:
        return None
    if not isinstance(size, tuple):
        return check_whole(size, name, 0, LARGEST)
    shape = tuple(check_whole(part, name) for part in size)
    if len(shape) > _MOST_AXES:
        raise ValueError(f"{name} must have at most {_MOST_AXES} axes, got {len(shape)}")
    if prod(part for part in shape if part) > LARGEST:  # numpy refuses (0, 2**62) as well
        raise ValueError(f"{name} must hold at most {LARGEST} numbers, got {show_value(size)}")
    return shape
