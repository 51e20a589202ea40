from meetmind.server.passage_maps import MapPoint
from meetmind.ui.passage_figure import looks_of, passage_figure


def point(number: int, title: str = "A title") -> MapPoint:
    return MapPoint(
        passage_id=f"tester_{number:012x}",
        title=title,
        source="rules.md",
        language="en",
        x=float(number),
        y=0.0,
    )


def test_every_group_looks_different() -> None:
    looks = looks_of([f"document {number}" for number in range(40)])
    assert len(set(looks.values())) == 40


def test_the_largest_group_comes_first_and_every_point_knows_its_passage() -> None:
    points = [point(number) for number in range(3)]
    groups = {points[0].passage_id: "small", points[1].passage_id: "big"}
    groups[points[2].passage_id] = "big"
    names = {point.passage_id: "Rules" for point in points}
    figure = passage_figure(points, groups, names)
    assert [trace.name for trace in figure.data] == ["big (2)", "small (1)"]
    carried = [list(row) for row in figure.data[0].customdata]
    assert carried == [[points[1].passage_id], [points[2].passage_id]]


def test_a_title_is_shown_as_it_is_and_is_no_markup() -> None:
    hostile = point(1, '<a href="https://example.org">x</a>\nsecond line')
    ids = {hostile.passage_id: "<b>group</b>"}
    figure = passage_figure([hostile], ids, ids)
    (shown,) = figure.data[0].hovertext
    assert "<a" not in shown
    assert "&lt;a href=" in shown
    assert figure.data[0].name == "&lt;b&gt;group&lt;/b&gt; (1)"
