"""How a result is written: as JSON, whole or not at all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from draftproof._whole import whole


def write(path: Path, content: Any, indent: int = 1) -> None:
    """Write a result of finite numbers and text."""
    text = json.dumps(content, indent=indent, allow_nan=False, ensure_ascii=False)
    with whole(path) as part:
        part.write_text(f"{text}\n", encoding="utf-8")
