"""Any causal language model of the transformers library under the loop of this package.

The only module that imports transformers, and only when a model is wrapped (the extra ``[hf]``).
It relies on three things alone: a mask with zeros on the left for shorter rows, positions for
every token, and a cache of keys and values that grows at its end.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from draftproof.checks import check_whole, show_value
from draftproof.decode.cache import SLACK, shortened
from draftproof.decode.scorer import check_device, check_dtype

__all__ = ["HuggingFaceCache", "HuggingFaceModel", "check_vocabularies", "load_pair"]

_LAYERS = ("full_attention", "sliding_attention")

# How much two computations of one row of logits may differ, as a share of the logits' spread, in
# full and in half precision. The same kernels give the same numbers, whatever comes after the row;
# other kernels, and experts who are dealt other tokens, round differently.
_SAME_PASS = (1e-5, 1e-3)
_OTHER_PASS = (1e-2, 1e-1)


def _transformers() -> Any:
    """Return the library, or say which extra brings it."""
    try:
        import transformers
    except ImportError as error:
        raise ImportError(
            "transformers is needed for Hugging Face models: pip install 'draftproof[hf]'"
        ) from error
    return transformers


class HuggingFaceCache:
    """A cache of the library whose rows have lengths of their own.

    Rows end together: a shorter one starts with places that the mask hides. To shorten rows by
    different numbers is to move them to the right, one gather a layer; rows of one length are cut.

    Parameters
    ----------
    batch : int
        Rows.
    capacity : int
        Longest row, in tokens.

    Attributes
    ----------
    lengths : list of int
        Tokens held in each row.
    entries : transformers.DynamicCache
        Keys and values, each (B, H, S, D) a layer, S the longest row.

    Raises
    ------
    ValueError
        If a number is below 1.
    """

    def __init__(self, batch: int, capacity: int) -> None:
        self.lengths = [0] * check_whole(batch, "batch", 1)
        self.capacity = check_whole(capacity, "capacity", 1)
        self.entries = self._empty()

    @staticmethod
    def _empty() -> Any:
        # Without the model's configuration every layer keeps all its tokens, those that look back
        # only a few as well: what a sliding window has dropped could not be brought back.
        return _transformers().DynamicCache()

    def grow(self, new: int, device: torch.device) -> tuple[Tensor, Tensor | None]:
        """Return the positions of `new` tokens, (B, new), and the mask, (B, S + new) or None.

        Parameters
        ----------
        new : int
            Tokens about to be added to every row.
        device : torch.device
            Where the two are wanted.

        Returns
        -------
        positions : Tensor of int64, shape (B, new)
        mask : Tensor of int64, shape (B, S + new), or None
            1 where a row has a token; None if it has one everywhere.

        Raises
        ------
        ValueError
            If a row would grow past the capacity.
        """
        longest = max(self.lengths)
        if longest + new > self.capacity:
            raise ValueError(
                f"the cache holds {self.capacity} tokens a row, got {longest} and {new} more"
            )
        lengths = torch.tensor(self.lengths, device=device)[:, None]
        positions = lengths + torch.arange(new, device=device)
        if min(self.lengths) == longest:
            return positions, None
        hidden = longest - lengths
        return positions, (torch.arange(longest + new, device=device) >= hidden).long()

    def advance(self, new: int) -> None:
        """Count the `new` tokens just stored as held.

        Parameters
        ----------
        new : int

        Raises
        ------
        ValueError
            If the model did not store them as keys and values.
        """
        held = max(self.lengths) + new
        stored = [layer.keys for layer in self.entries.layers if layer.is_initialized]
        if not stored or any(keys.shape[-2] != held for keys in stored):
            raise ValueError("model must keep keys and values of every token in its cache")
        self.lengths = [length + new for length in self.lengths]

    def rollback(self, lengths: Sequence[int]) -> None:
        """Shorten every row to its new length.

        Parameters
        ----------
        lengths : sequence of int
            One a row, none longer than the row is.

        Raises
        ------
        ValueError
            If there is not one length a row, or one is negative or longer than the row.
        """
        before, self.lengths = self.lengths, shortened(self.lengths, lengths)
        if max(self.lengths) == 0:
            self.entries = self._empty()
            return
        dropped = [old - new for old, new in zip(before, self.lengths, strict=True)]
        for layer in self.entries.layers:
            if layer.is_initialized:
                layer.keys = self._cut(layer.keys, before, dropped)
                layer.values = self._cut(layer.values, before, dropped)

    def _cut(self, entries: Tensor, before: list[int], dropped: list[int]) -> Tensor:
        """Return keys or values, (B, H, S, D), without the last tokens of each row."""
        end = max(self.lengths)
        if min(dropped) == max(dropped):
            return entries[:, :, :end]
        # A row's last token was in the last place and is `dropped` places before it now.
        first = torch.tensor(dropped, device=entries.device)[:, None]
        places = torch.arange(end, device=entries.device) + (max(before) - end) - first
        rows = torch.arange(len(dropped), device=entries.device)[:, None]
        return entries.transpose(1, 2)[rows, places.clamp_min(0)].transpose(1, 2)


class HuggingFaceModel:
    """A causal language model of transformers as a `Scorer`.

    Parameters
    ----------
    model : transformers.PreTrainedModel
        With full or sliding attention, in evaluation mode, such as what
        ``AutoModelForCausalLM.from_pretrained`` returns.
    context_size : int, optional
        The longest sequence, in tokens; from the model's configuration if not given.

    Attributes
    ----------
    model : transformers.PreTrainedModel
    vocabulary_size : int
        Logits in a row, padding included.
    context_size : int
        The longest sequence, in tokens.

    Raises
    ------
    ImportError
        If transformers is not installed.
    ValueError
        If the model is none of transformers, is in training mode, is no decoder, lets a token
        change the law before it (three short passes show it), keeps a state that cannot be taken
        back, or names no context size.

    Examples
    --------
    >>> target = HuggingFaceModel(AutoModelForCausalLM.from_pretrained(...))  # doctest: +SKIP
    >>> draft = HuggingFaceModel(AutoModelForCausalLM.from_pretrained(...))  # doctest: +SKIP
    >>> generate(target, ids, drafter=ModelDrafter(draft), ...)  # doctest: +SKIP
    """

    def __init__(self, model: Any, context_size: int | None = None) -> None:
        if not isinstance(model, _transformers().PreTrainedModel):
            raise ValueError(f"model must be a model of transformers, got {show_value(model)}")
        _check_kind(model)
        self.model = model
        config = model.config.get_text_config(decoder=True)
        if context_size is None:
            context_size = getattr(config, "max_position_embeddings", None)
            if context_size is None:
                raise ValueError("context_size must be given: the model's configuration names none")
        self.context_size: int = check_whole(context_size, "context_size", 1)
        head = model.get_output_embeddings()
        weight = getattr(head, "weight", None)
        self.vocabulary_size = int(config.vocab_size if weight is None else weight.shape[0])
        accepts = inspect.signature(model.forward).parameters
        # The argument's name until transformers 5.23, and the one that replaces it.
        self._cache_name = "cache" if "cache" in accepts else "past_key_values"
        self._takes_positions = "position_ids" in accepts
        # One row of logits is the least that it can be asked for; 0 stands for all.
        self._fewest = {"logits_to_keep": 1} if "logits_to_keep" in accepts else {}
        self._probe()

    @property
    def device(self) -> torch.device:
        """Where the tokens must be."""
        found: torch.device = self.model.device
        return found

    def new_cache(self, batch: int) -> HuggingFaceCache:
        """Return an empty cache.

        Parameters
        ----------
        batch : int
            Rows.

        Returns
        -------
        HuggingFaceCache

        Raises
        ------
        ValueError
            If `batch` is below 1.
        """
        return HuggingFaceCache(batch, self.context_size + SLACK)

    def __call__(self, tokens: Tensor, cache: HuggingFaceCache) -> Tensor:
        """Return the logits after each token; the cache grows by them.

        Parameters
        ----------
        tokens : Tensor of int64, shape (B, T)
            What follows each row.
        cache : HuggingFaceCache

        Returns
        -------
        Tensor, shape (B, T, V)

        Raises
        ------
        ValueError
            If a row would grow past the context, or the model keeps no keys and values.
        """
        return self._pass(tokens, cache)

    def read(self, tokens: Tensor, cache: HuggingFaceCache) -> None:
        """Fill the cache with some tokens; where the model can, only the last one gets logits.

        Parameters
        ----------
        tokens : Tensor of int64, shape (B, T)
            What follows each row.
        cache : HuggingFaceCache

        Raises
        ------
        ValueError
            If a row would grow past the context, or the model keeps no keys and values.
        """
        self._pass(tokens, cache, **self._fewest)

    def _pass(self, tokens: Tensor, cache: HuggingFaceCache, **options: int) -> Tensor:
        new = tokens.shape[1]
        positions, mask = cache.grow(new, tokens.device)
        extra: dict[str, Any] = {self._cache_name: cache.entries, **options}
        if self._takes_positions:
            # Past the context there are only drafts that no row can use: any place will do.
            extra["position_ids"] = positions.clamp_max(self.context_size - 1)
        if mask is not None:
            extra["attention_mask"] = mask
        logits: Tensor = self.model(input_ids=tokens, use_cache=True, **extra).logits
        cache.advance(new)
        return logits

    @torch.no_grad()
    def _probe(self) -> None:
        """Raise unless later tokens leave a law alone, and the cache gives what a new pass does.

        An encoder with a head on top, or a decoder that was told to be none, looks ahead and says
        so nowhere; it would be decoded to a text of no law.
        """
        words = getattr(self.model.get_input_embeddings(), "num_embeddings", self.vocabulary_size)
        size = min(words, self.vocabulary_size)
        if size < 2:
            return
        first, other = size // 3, 2 * size // 3

        def logits(tokens: list[int], cache: HuggingFaceCache) -> Tensor:
            return self(torch.tensor([tokens], device=self.device), cache)[0].float()

        cache = self.new_cache(1)
        before = logits([first] * 3, cache)
        after = logits([first, other, other], self.new_cache(1))
        name, half = type(self.model).__name__, self.model.dtype.itemsize < 4
        experts = "expert" in str(self.model.config.to_dict())
        if _differ(before[0], after[0], (_OTHER_PASS if experts else _SAME_PASS)[half]):
            raise ValueError(
                f"model must be a causal language model, got {name} whose first law changes with "
                "the tokens after it"
            )
        cache.rollback([1])
        if _differ(logits([other] * 2, cache), after[1:], _OTHER_PASS[half]):
            raise ValueError(f"model must give the same laws with its cache as without, got {name}")


def _differ(one: Tensor, other: Tensor, share: float) -> bool:
    """Whether logits differ on average by more than a share of their spread, in any row."""
    apart = torch.where(one == other, 0, (one - other).abs()).mean(-1)
    # The middle distance from the middle: some logits may be -inf.
    spread = (one - one.median(-1, keepdim=True).values).abs().sort(-1).values
    return bool((apart > share * spread[..., one.shape[-1] // 2]).any())


def _check_kind(model: Any) -> None:
    """Raise unless the model is a decoder whose cache can be shortened."""
    name, config = type(model).__name__, model.config
    if model.training:
        raise ValueError("model must be in evaluation mode, call model.eval(): dropout is no law")
    if getattr(config, "is_encoder_decoder", False) or not model.can_generate():
        raise ValueError(f"model must be a causal language model, got {name}")
    kinds = getattr(config.get_text_config(decoder=True), "layer_types", None) or ()
    others = sorted(set(kinds) - set(_LAYERS))
    if getattr(model, "_is_stateful", False) or others:
        what = f"layers of {', '.join(others)}" if others else "a recurrent state"
        raise ValueError(
            f"model must keep keys and values that can be rolled back, got {name} with {what}"
        )


def check_vocabularies(target: Mapping[str, int], draft: Mapping[str, int]) -> None:
    """Raise unless two vocabularies give every number that both use to the same token.

    One may have more tokens than the other: such drafts cost guesses, never exactness.

    Parameters
    ----------
    target, draft : mapping of str to int
        What ``tokenizer.get_vocab()`` returns: the number of every token.

    Raises
    ------
    ValueError
        If a number means one token here and another there, or one is no vocabulary.
    """
    for vocabulary, name in ((target, "target"), (draft, "draft")):
        if not isinstance(vocabulary, Mapping):
            raise ValueError(
                f"{name} must map tokens to numbers, as tokenizer.get_vocab() does, got "
                f"{show_value(vocabulary)}"
            )
    theirs = {number: token for token, number in draft.items()}
    both = [(token, theirs[number]) for token, number in target.items() if number in theirs]
    wrong = [pair for pair in both if pair[0] != pair[1]]
    if not both or len(wrong) == len(both):
        raise ValueError(
            "target and draft must share a tokenizer, got two vocabularies that share nothing"
        )
    if wrong:
        raise ValueError(
            f"target and draft must share a tokenizer, got {len(wrong)} of {len(both)} numbers "
            f"with two meanings, such as {show_value(wrong[0][0])} and {show_value(wrong[0][1])}"
        )


def load_pair(
    target_name: str | Path,
    draft_name: str | Path,
    device: torch.device | str | None = None,
    dtype: torch.dtype | None = None,
) -> tuple[HuggingFaceModel, HuggingFaceModel, Any]:
    """Load two models of one family and their tokenizer, by name or from folders.

    Parameters
    ----------
    target_name, draft_name : str or Path
        As ``from_pretrained`` takes them: a name on the model hub, or a folder.
    device : torch.device or str, optional
        A GPU if there is one.
    dtype : torch.dtype, optional
        Of the weights; bfloat16 on a GPU and float32 on a CPU if not given.

    Returns
    -------
    target, draft : HuggingFaceModel
    tokenizer : transformers.PreTrainedTokenizerBase
        The target's.

    Raises
    ------
    ImportError
        If transformers is not installed.
    ValueError
        If the two tokenizers disagree, a model is of a kind that cannot be wrapped, or an argument
        is of another kind.
    OSError
        If transformers cannot find or download a model.
    """
    library = _transformers()
    for name, value in (("target_name", target_name), ("draft_name", draft_name)):
        if not isinstance(value, (str, Path)):
            raise ValueError(f"{name} must be a name or a folder, got {show_value(value)}")
    if device is None:
        device = "cuda" if torch.cuda.is_available() else "cpu"
    device = check_device(device)
    if dtype is None:
        dtype = torch.float32 if device.type == "cpu" else torch.bfloat16
    check_dtype(dtype)
    tokenizers = [library.AutoTokenizer.from_pretrained(n) for n in (target_name, draft_name)]
    check_vocabularies(tokenizers[0].get_vocab(), tokenizers[1].get_vocab())
    target, draft = (
        HuggingFaceModel(
            library.AutoModelForCausalLM.from_pretrained(name, dtype=dtype).to(device).eval()
        )
        for name in (target_name, draft_name)
    )
    return target, draft, tokenizers[0]
