"""The tokenizer of a GGUF file: byte-level byte-pair encoding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from draftproof.checks import check_whole, show_value

__all__ = ["SYSTEM", "Tokenizer"]

SYSTEM = "You are a helpful AI assistant named SmolLM, trained by Hugging Face"
"""What the model's template says first where the messages do not begin with a system's."""

_CONTROL = 3  # the format's number for tokens that stand for no text


def _tokenizers() -> Any:
    """Return the library that encodes, or say which extra brings it."""
    try:
        import tokenizers
    except ImportError as error:
        raise ImportError(
            "tokenizers is needed to read text: pip install 'draftproof[hf]'"
        ) from error
    return tokenizers


class Tokenizer:
    """From text to token numbers and back.

    Parameters
    ----------
    tokens : sequence of str
        The vocabulary in order, in the byte-level alphabet.
    merges : sequence of str
        Pairs to join, earliest first, with a space between the two.
    control : sequence of int
        Tokens that stand for no text, such as the end of a turn; found whole in any text.
    end : int
        The token that ends an answer.

    Attributes
    ----------
    vocabulary_size : int
    eos_token_id : int
        The token that ends an answer.

    Raises
    ------
    ImportError
        If tokenizers is not installed.
    ValueError
        If `end` or a control token lies outside the vocabulary.

    References
    ----------
    Sennrich, Haddow and Birch (2016), byte-pair encoding. Radford and others (2019), on bytes.
    """

    def __init__(
        self, tokens: Sequence[str], merges: Sequence[str], control: Sequence[int], end: int
    ) -> None:
        library = _tokenizers()
        self.vocabulary_size = len(tokens)
        self.eos_token_id = check_whole(end, "end", 0, len(tokens) - 1)
        names = [tokens[check_whole(i, "control", 0, len(tokens) - 1)] for i in control]
        table = {token: i for i, token in enumerate(tokens)}
        pairs = [tuple(merge.split(" ", 1)) for merge in merges]
        self._inner = library.Tokenizer(library.models.BPE(vocab=table, merges=pairs))
        split = library.pre_tokenizers
        # Digits one by one; the rest as in GPT-2.
        self._inner.pre_tokenizer = split.Sequence(
            [split.Digits(individual_digits=True), split.ByteLevel(add_prefix_space=False)]
        )
        self._inner.decoder = library.decoders.ByteLevel()
        self._inner.add_special_tokens(
            [library.AddedToken(name, special=True, normalized=False) for name in names]
        )

    @classmethod
    def from_reader(cls, reader: Any) -> Tokenizer:
        """Read the tokenizer of an open GGUF file.

        Parameters
        ----------
        reader : gguf.GGUFReader

        Returns
        -------
        Tokenizer

        Raises
        ------
        ImportError
            If tokenizers is not installed.
        ValueError
            If the file has none, or one of another kind.
        """

        def value(key: str) -> Any:
            field = reader.get_field(f"tokenizer.ggml.{key}")
            if field is None:
                raise ValueError(f"the file must say tokenizer.ggml.{key}")
            return field.contents()

        kind = value("model"), value("pre")
        if kind != ("gpt2", "smollm"):
            raise ValueError(f"the tokenizer must be of the kind ('gpt2', 'smollm'), got {kind}")
        control = [i for i, sort in enumerate(value("token_type")) if sort == _CONTROL]
        return cls(value("tokens"), value("merges"), control, int(value("eos_token_id")))

    def encode(self, text: str) -> list[int]:
        """Return the token numbers of a text.

        Parameters
        ----------
        text : str

        Returns
        -------
        list of int

        Raises
        ------
        ValueError
            If `text` is no str.
        """
        if not isinstance(text, str):
            raise ValueError(f"text must be a str, got {show_value(text)}")
        ids: list[int] = self._inner.encode(text, add_special_tokens=False).ids
        return ids

    def decode(self, tokens: Sequence[int], *, control: bool = False) -> str:
        """Return the text of some token numbers.

        Parameters
        ----------
        tokens : sequence of int
        control : bool
            Spell out control tokens too.

        Returns
        -------
        str
            Bytes that are no character give U+FFFD.

        Raises
        ------
        ValueError
            If a token lies outside the vocabulary.
        """
        ids = [check_whole(token, "tokens", 0, self.vocabulary_size - 1) for token in tokens]
        text: str = self._inner.decode(ids, skip_special_tokens=not control)
        return text

    def pieces(self, tokens: Sequence[int]) -> list[str]:
        """Return the text that each token adds, control tokens spelled out.

        A character of several tokens is put with the token that completes it.

        Parameters
        ----------
        tokens : sequence of int

        Returns
        -------
        list of str
            Joined they are ``decode(tokens, control=True)``.

        Raises
        ------
        ValueError
            If a token lies outside the vocabulary.
        """
        pieces: list[str] = []
        start = 0  # of the character that is not complete
        for end in range(1, len(tokens) + 1):
            text = self.decode(tokens[start:end], control=True)
            whole = end == len(tokens) or not text.endswith("\ufffd") or end - start >= 4
            pieces.append(text if whole else "")
            start = end if whole else start
        return pieces

    def chat(self, messages: str | Sequence[Mapping[str, str]]) -> list[int]:
        """Return the token numbers of a conversation, ready for the answer.

        Parameters
        ----------
        messages : str or sequence of mappings
            The user's words, or turns with a ``role`` (system, user, assistant) and a ``content``.

        Returns
        -------
        list of int

        Raises
        ------
        ValueError
            If there is no message, or one has no role or no content.
        """
        turns = [{"role": "user", "content": messages}] if isinstance(messages, str) else messages
        if not turns:
            raise ValueError("messages must hold at least one, got none")
        for turn in turns:
            if not all(isinstance(turn.get(part), str) for part in ("role", "content")):
                raise ValueError(f"messages must have a role and a content, got {show_value(turn)}")
        if turns[0]["role"] != "system":
            turns = [{"role": "system", "content": SYSTEM}, *turns]
        text = "".join(f"<|im_start|>{t['role']}\n{t['content']}<|im_end|>\n" for t in turns)
        return self.encode(text + "<|im_start|>assistant\n")
