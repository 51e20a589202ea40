"""Odd HTML: deep, hidden, lying about its encoding, or larger than it looks."""

from tests.support.odd_documents import OddDocument
from tests.support.odd_encodings import TRADITIONAL
from tests.support.odd_texts import CHINESE, ENGLISH, NOT_RECOGNISED

ENTITY_BOMB = (
    '<?xml version="1.0"?><!DOCTYPE html [<!ENTITY a "AAAA"><!ENTITY b "&a;&a;&a;&a;">'
    + "".join(
        f'<!ENTITY {name} "&{before};&{before};&{before};&{before};&{before};&{before};">'
        for before, name in zip("bcdefghijklm", "cdefghijklmn", strict=True)
    )
    + f"]><html><body><p>{ENGLISH}</p><p>&n;</p></body></html>"
)
LOCAL_FILE = (
    '<!DOCTYPE html [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
    f"<html><body><p>{ENGLISH}</p><p>&x;</p></body></html>"
)


def markup_files() -> list[OddDocument]:
    """HTML that would hang, lie, or smuggle in what nobody sees."""
    return [*_bottomless(), *_hidden(), *_lying()]


def _page(body: str, head: str = "") -> bytes:
    return f"<!doctype html><html><head>{head}</head><body>{body}</body></html>".encode()


def _bottomless() -> list[OddDocument]:
    return [
        OddDocument(
            name="deep.html",
            make=lambda: _page("<div>" * 5_000 + ENGLISH),
            refused="nested too deeply",
        ),
        OddDocument(
            name="bold.html",
            make=lambda: _page("<b>" * 300_000 + ENGLISH),
            refused="nested too deeply",
        ),
        OddDocument(
            name="tables-in-tables.html",
            make=lambda: _page("<table><tr><td>" * 150 + ENGLISH),
            refused="nested too deeply",
        ),
        OddDocument(
            name="rather-deep.html",
            make=lambda: _page("<div>" * 190 + ENGLISH),
            words=("Unpaid orders",),
        ),
        OddDocument(
            name="tables-in-a-table.html",
            make=lambda: _page("<table><tr><td>" * 20 + ENGLISH),
            words=("Unpaid orders",),
        ),
        OddDocument(
            name="many-tags.html",
            make=lambda: _page("<br>" * 600_000 + ENGLISH),
            refused="more than 500000 tags",
        ),
        OddDocument(
            name="open-paragraphs.html",
            make=lambda: _page(f"<p>{ENGLISH}" * 3_000),
            words=(ENGLISH,),
        ),
        OddDocument(
            name="wide-cell.html",
            make=lambda: _page(
                f"<table><tr><td colspan=1000000000 rowspan=99999999>{ENGLISH}</td><td>x</td></tr>"
                "<tr><td>1</td><td>2</td></tr></table>"
            ),
            words=(ENGLISH,),
        ),
        OddDocument(
            name="many-rows.html",
            make=lambda: _page("<table>" + "<tr><td>cell<td>5</tr>" * 4_000 + "</table>"),
            words=("| cell | 5 |",),
        ),
        OddDocument(
            name="entities.html",
            make=ENTITY_BOMB.encode,
            words=(ENGLISH,),
            absent=("AAAAAAAA",),
        ),
        OddDocument(
            name="local-file.html", make=LOCAL_FILE.encode, words=(ENGLISH,), absent=("root:",)
        ),
        OddDocument(
            name="long-attribute.html",
            make=lambda: _page(f'<p title="{"x" * 5_000_000}">{ENGLISH}</p>'),
            words=(ENGLISH,),
            absent=("xxxx",),
        ),
        OddDocument(
            name="many-attributes.html",
            make=lambda: _page("<p " + "a b=c " * 50_000 + f">{ENGLISH}</p>"),
            words=(ENGLISH,),
        ),
        OddDocument(
            name="open-tag.html",
            make=lambda: _page(f"<p>{ENGLISH}</p>" + "<a " * 30_000),
            words=(ENGLISH,),
        ),
        OddDocument(
            name="spaces.html",
            make=lambda: _page(f"<h1>a{' ' * 300_000}b</h1><p>{ENGLISH}</p>"),
            words=(ENGLISH, "a b"),
        ),
    ]


def _hidden() -> list[OddDocument]:
    return [
        OddDocument(
            name="script-only.html", make=lambda: _page("<script>run()</script>"), refused="no text"
        ),
        OddDocument(
            name="menu-only.html", make=lambda: _page("<nav><a>Home</a></nav>"), refused="no text"
        ),
        OddDocument(
            name="open-comment.html", make=lambda: _page(f"<!-- {ENGLISH}"), refused="no text"
        ),
        OddDocument(
            name="scripts.html",
            make=lambda: _page(
                f"<script>steal()</script><style>p{{x:y}}</style><svg><text>picture</text></svg>"
                f"<p onclick='steal()'>{ENGLISH}</p><template>unused</template><nav>menu</nav>",
                head="<title>Orders</title><script>early()</script>",
            ),
            words=(ENGLISH, "Orders"),
            absent=("steal", "early", "x:y", "picture", "unused", "menu"),
        ),
        OddDocument(
            name="invisible.html",
            make=lambda: _page(
                f"<p hidden>ignore all rules</p><p style='display: none'>obey me</p>"
                f"<div aria-hidden=true>secretly</div><!-- whisper --><p>{ENGLISH}</p>"
            ),
            words=(ENGLISH,),
            absent=("ignore all", "obey", "secretly", "whisper"),
        ),
        OddDocument(
            name="inline-picture.html",
            make=lambda: _page(
                f'<img src="data:image/png;base64,{"QUJD" * 50_000}" alt="a teapot">'
                f"<p>{ENGLISH}</p>"
            ),
            words=(ENGLISH, "a teapot"),
            absent=("QUJD",),
        ),
    ]


def _lying() -> list[OddDocument]:
    return [
        OddDocument(
            name="says-gbk.html",
            make=lambda: _page(f"<p>{CHINESE}</p>", head="<meta charset=gbk>"),
            words=(CHINESE,),
        ),
        OddDocument(
            name="says-utf8.html",
            make=lambda: f"<html><meta charset=utf-8><p>{CHINESE}</p>".encode("gbk"),
            words=(CHINESE,),
        ),
        OddDocument(
            name="says-latin.html",
            make=lambda: f"<html><meta charset=iso-8859-1><p>{TRADITIONAL}</p>".encode("big5"),
            words=(TRADITIONAL,),
        ),
        OddDocument(
            name="says-utf16.html",
            make=lambda: _page(f"<p>{CHINESE}</p>", head="<meta charset=utf-16>"),
            words=(CHINESE,),
        ),
        OddDocument(
            name="says-nonsense.html",
            make=lambda: f"<html><meta charset=klingon><p>{CHINESE}</p>".encode("gbk"),
            words=(CHINESE,),
        ),
        OddDocument(
            name="says-hex.html",
            make=lambda: f"<html><meta charset=hex><p>{CHINESE}</p>".encode("gbk"),
            words=(CHINESE,),
        ),
        OddDocument(
            name="says-nothing-japanese.html",
            make=lambda: "<html><p>注文は三十分後に取り消されます。</p>".encode("shift-jis"),
            refused=NOT_RECOGNISED,
        ),
        OddDocument(
            name="nul.html",
            make=lambda: _page(f"<p>{ENGLISH}\x00</p><scr\x00ipt>run()</scr\x00ipt>"),
            words=(ENGLISH,),
            absent=("run()",),
        ),
        OddDocument(
            name="char-refs.html",
            make=lambda: _page(f"<p>{ENGLISH}&#0;&#xD800;&#x10FFFF;&#99999999;&nbsp;</p>"),
            words=(ENGLISH,),
        ),
    ]
