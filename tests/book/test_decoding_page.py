"""The page on real decoding says what was recorded, and what it ran itself came out right."""

import json

import pytest

from draftproof import recorded
from draftproof.decode.shipped import read_card

soup_of = pytest.importorskip("bs4").BeautifulSoup
pytestmark = pytest.mark.site


@pytest.fixture(scope="module")
def page(site):
    return soup_of((site / "chapters" / "04-decoding.html").read_text("utf-8"), "html.parser")


def table_with(page, *heads):
    """The cells of the table with these column heads, row by row, the heads left out."""
    for table in page.select("table"):
        shown = [cell.get_text().strip() for cell in table.select("th")]
        if all(any(head == text for text in shown) for head in heads):
            rows = [
                [cell.get_text().strip() for cell in row.select("td")] for row in table.select("tr")
            ]
            return shown, [row for row in rows if row]
    raise AssertionError(f"no table with the heads {heads}")


def test_the_table_of_drafters_is_the_recording(page):
    heads, rows = table_with(page, "drafter", "speedup", "tokens a call")
    runs = [run for run in recorded.load("decode")["runs"] if run["temperature"] == 1]
    best = {}
    for run in runs:
        if run["speedup"] > best.get(run["drafter"], {"speedup": 0})["speedup"]:
            best[run["drafter"]] = run
    shown = {row[0]: dict(zip(heads, row, strict=True)) for row in rows}
    for name, words in (("distilled", "small model, distilled"), ("5-gram", "5-gram table")):
        assert shown[words]["speedup"] == f"{best[name]['speedup']:.2f}"
        assert shown[words]["best γ"] == str(best[name]["gamma"])
        assert shown[words]["α"] == f"{best[name]['alpha']:.3f}"


def test_speculation_pays_by_a_generous_margin():
    """What the recording must at least say, so that the page's claim is one."""
    runs = [run for run in recorded.load("decode")["runs"] if run["temperature"] == 1]
    fastest = {
        name: max(run["speedup"] for run in runs if run["drafter"] == name)
        for name in ("distilled", "5-gram", "target")
    }
    assert fastest["distilled"] > 1.8 and fastest["5-gram"] > 2.0 and fastest["target"] < 1.1
    assert recorded.load("decode")["hugging_face"]["ours_over_assisted"] > 1.2


def test_greedy_texts_are_equal_everywhere(page):
    heads, rows = table_with(page, "8", "7")
    count = heads[0].split()[3].rstrip(",")
    assert len(rows) == 4
    assert all(cell == count for row in rows for cell in row[1:])


def test_the_cuts_of_both_caches(page):
    _, rows = table_with(page, "target drops", "draft drops")
    assert [[int(cell) for cell in row[1:3]] for row in rows] == [
        [5 - a, max(0, 4 - a)] for a in range(6)
    ]
    assert rows[-1][-1] == "2" and {row[-1] for row in rows[:-1]} == {"1"}


def test_distilling_raises_alpha_of_network_and_table(page):
    _, rows = table_with(page, "draft", "held-out loss, nats")
    card = read_card()
    names = ("draft-plain", "draft", "5-gram-counted", "5-gram")
    for row, name in zip(rows, names, strict=True):
        loss = card[name].get("held_out_nats")
        assert row[1] == ("" if loss is None else f"{loss:.3f}")
        assert row[2].startswith(f"{card[name]['alpha']:.3f}")
    for before, after in (names[:2], names[2:]):
        apart = card[after]["alpha"] - card[before]["alpha"]
        assert apart > 2 * (card[after]["alpha_error"] + card[before]["alpha_error"])
    # "left the network's loss on Shakespeare where it was"
    assert abs(card["draft"]["held_out_nats"] - card["draft-plain"]["held_out_nats"]) < 0.005


def test_no_gpu_result_without_a_gpu(page):
    said = "it shows no GPU result" in page.get_text()
    assert said is not recorded.exists("gpu")


def test_recordings_name_their_machine():
    for name in recorded.NAMES:
        if recorded.exists(name) and name != "ribbon":
            machine = recorded.load(name)["machine"]
            assert {"cores", "torch"} <= set(machine), json.dumps(machine)
