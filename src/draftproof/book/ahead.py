"""Run the chapters side by side, before Sphinx reads the pages one after another.

MyST-NB runs a chapter when it comes to its page, on one core. Here those that the execution cache
does not hold are run before that, several at once, and put there. What a chapter puts out is the
same. One that fails is left to MyST-NB, which runs it again and reports it.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging

__all__ = ["setup"]

_logger = logging.getLogger(__name__)
_MOST = 4  # a chapter takes about half a gigabyte


def setup(app: Sphinx) -> None:
    """Connect the runs (called by Sphinx).

    Parameters
    ----------
    app : sphinx.application.Sphinx
        The build.
    """
    app.connect("env-before-read-docs", _run)


def _run(app: Sphinx, env: BuildEnvironment, pages: list[str]) -> None:
    config: Any = getattr(env, "mystnb_config", None)
    if config is None or config.execution_mode != "cache" or not config.execution_cache_path:
        return
    from jupyter_cache import get_cache
    from jupyter_cache.base import CacheBundleIn
    from jupyter_cache.executors.utils import single_nb_execution

    cache = get_cache(config.execution_cache_path)
    waiting = dict(_unknown(env, config, pages, cache))
    jobs = min(_MOST, os.cpu_count() or 1, len(waiting))
    if jobs < 2:
        return

    def run(path: Path) -> Any:
        limit = config.execution_timeout
        return single_nb_execution(
            waiting[path], cwd=str(path.parent), timeout=limit, allow_errors=False
        )

    with ThreadPoolExecutor(jobs) as pool:  # each thread waits for a kernel of its own
        for path, done in zip(waiting, pool.map(run, waiting), strict=True):
            if done.err is not None:
                _logger.info("%s failed and will be run again", path.name)
                continue
            data = {"execution_seconds": done.time}
            cache.cache_notebook_bundle(
                CacheBundleIn(waiting[path], str(path), data=data),
                check_validity=False,
                overwrite=True,
            )


def _unknown(env: Any, config: Any, pages: list[str], cache: Any) -> Any:
    """Yield the path and the notebook of each page that has code and no run in the cache."""
    from myst_nb.core.read import create_nb_reader

    for page in pages:
        path = Path(env.doc2path(page))
        text = path.read_text(encoding="utf-8")
        reader = create_nb_reader(str(path), env.myst_config, config, text)
        notebook = reader and reader.read(text)
        if not notebook or not any(cell.cell_type == "code" for cell in notebook.cells):
            continue
        try:
            cache.match_cache_notebook(notebook)
        except KeyError:
            yield path, notebook
