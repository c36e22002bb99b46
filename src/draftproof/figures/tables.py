"""Tables in the chapters: computed rows, shown as a table of the page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

__all__ = ["Table", "table"]


@dataclass(frozen=True)
class Table:
    """Rows of text under a head; a notebook cell displays it.

    Attributes
    ----------
    head : tuple of str
        Titles of the columns.
    rows : tuple
        Entries, as many a row as the head has.
    """

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def _repr_markdown_(self) -> str:
        lines = [self.head, ("---", *["---:"] * (len(self.head) - 1)), *self.rows]
        return "\n".join("| " + " | ".join(line) + " |" for line in lines)

    def _repr_html_(self) -> str:
        def row(tag: str, cells: Sequence[str]) -> str:
            return "<tr>" + "".join(f"<{tag}>{escape(c)}</{tag}>" for c in cells) + "</tr>"

        head = f"<thead>{row('th', self.head)}</thead>"
        body = "".join(row("td", cells) for cells in self.rows)
        # The class is the one that themes style inside a cell's output, in light and dark.
        return f'<table class="dataframe">{head}<tbody>{body}</tbody></table>'

    def __str__(self) -> str:
        return "\n".join("\t".join(line) for line in (self.head, *self.rows))


def table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> Table:
    """Make a table; every entry is shown as ``str`` gives it, so format numbers beforehand.

    Parameters
    ----------
    head : sequence of str
        Titles of the columns.
    rows : sequence of tuple
        Entries of each row.

    Returns
    -------
    Table

    Raises
    ------
    ValueError
        If a row has not as many entries as the head.
    """
    made = tuple(tuple(str(entry) for entry in row) for row in rows)
    for row in made:
        if len(row) != len(head):
            raise ValueError(f"rows must have {len(head)} entries each, got {row}")
    return Table(tuple(head), made)
