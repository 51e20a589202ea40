"""HTML files to sections."""

import pytest

from meetmind.errors import DocumentUnreadable
from meetmind.knowledge.documents import LoadedDocument
from meetmind.knowledge.loaders import load_document

CHINESE = "未支付订单在三十分钟后自动取消，库存同时释放。"
PAGE = """<!doctype html><html><head><title>Shop – orders</title>
<style>p {color: red}</style></head>
<body><nav><a href="/">Home</a></nav><h1>Orders</h1>
<p>Unpaid orders are <b>cancelled</b> after <a href="/x">30 minutes</a>,
and stock_is_released.</p>
<h2>Limits</h2><ul><li>one<li>two</ul>
<table><tr><th>Service<th>Limit<tr><td>api<td>5 s</table>
<pre>total = 1
total += 1</pre><script>steal()</script></body></html>"""


def read(raw: bytes) -> LoadedDocument:
    return load_document("page.html", raw)


def test_a_page_gives_headings_paragraphs_lists_tables_and_code() -> None:
    document = read(PAGE.encode())

    first, limits = document.sections
    assert document.title == "Orders"
    assert [block.text for block in first.blocks] == [
        "Unpaid orders are cancelled after 30 minutes, and stock_is_released."
    ]
    assert limits.heading == "Limits"
    assert [block.kind for block in limits.blocks] == ["text", "table", "code"]
    assert limits.blocks[0].text == "- one\n- two"
    assert limits.blocks[1].text == "| Service | Limit |\n| --- | --- |\n| api | 5 s |"
    assert limits.blocks[2].text == "```\ntotal = 1\ntotal += 1\n```"


def test_a_page_without_a_heading_is_named_by_its_title() -> None:
    assert read(b"<title>Shop</title><p>Text that is there.</p>").title == "Shop"


def test_what_nobody_sees_is_not_read() -> None:
    page = (
        "<p>seen</p><p hidden>one</p><p style='display:none'>two</p><!-- three -->"
        "<template>four</template><script>five</script><div aria-hidden='true'>six</div>"
    )
    assert [block.text for block in read(page.encode()).sections[0].blocks] == ["seen"]


@pytest.mark.parametrize(
    ("declared", "encoding"),
    [("gb2312", "gbk"), ("utf-8", "utf-8"), ("utf-8", "gbk"), ("gbk", "utf-8"), ("latin1", "gbk")],
)
def test_a_page_is_read_in_its_real_encoding_whatever_it_says(declared: str, encoding: str) -> None:
    page = f"<html><meta charset={declared}><p>{CHINESE}</p></html>"

    assert read(page.encode(encoding)).sections[0].blocks[0].text == CHINESE


def test_a_page_that_names_its_encoding_is_believed_where_nothing_speaks_against_it() -> None:
    page = "<html><meta charset=koi8-r><p>Заказ отменяется через тридцать минут.</p></html>"

    assert "Заказ отменяется" in read(page.encode("koi8-r")).sections[0].blocks[0].text


def test_tags_in_tags_without_end_are_refused() -> None:
    with pytest.raises(DocumentUnreadable, match="nested too deeply"):
        read(b"<div>" * 300 + b"text")
