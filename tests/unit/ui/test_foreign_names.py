"""Names that anybody can choose, where they are put into sentences and figures."""

from meetmind.ui.language import safe_values
from meetmind.ui.rank_lines import LineColours, rank_figure
from meetmind.ui.search_view import RankLine, StagePlace

HOSTILE = '<a href="http://a.test">%{x} & ![x](http://a.test/i)'


def test_what_fills_the_sentence_of_an_error_is_no_markdown() -> None:
    values = safe_values({"name": "![x](http://a.test/i) :red[y]", "limit": 3})
    assert values["limit"] == 3
    name = str(values["name"])
    assert r"!\[x\]" in name.replace(r"\!", "!")
    assert ":red[" not in name


def test_names_in_the_figure_of_a_search_are_no_markup() -> None:
    place = StagePlace(stage="words", rank=1, score=0.5)
    line = RankLine(passage_id="a", title=HOSTILE, answer_rank=1, places=(place,))
    colours = LineColours(line="#000000", number="#ffffff")
    figure = rank_figure([line], {"words": HOSTILE}, colours, "missing")
    trace = figure.data[0]
    for written in (*trace.customdata, trace.hovertemplate, *figure.layout.xaxis.ticktext):
        assert "<a" not in written
        assert "%{x}" not in written
