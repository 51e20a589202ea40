"""Odd plain text, Markdown and JSON."""

import json
import random

from tests.support.odd_documents import OddDocument

ENGLISH = "Unpaid orders are cancelled after 30 minutes and their stock is released."
CHINESE = "未支付订单在三十分钟后自动取消，库存同时释放，优惠券退回账户。"
NOT_RECOGNISED = "encoding is not recognised"


def text_files() -> list[OddDocument]:
    """Empty, damaged, endless and strangely written texts."""
    return [
        *_empty_and_damaged(),
        *_unwanted_signs(),
        *_endless(),
    ]


def _empty_and_damaged() -> list[OddDocument]:
    noise = random.Random(7)
    return [
        OddDocument(name="empty.txt", make=lambda: b"", refused="empty"),
        OddDocument(name="empty.pdf", make=lambda: b"", refused="empty"),
        OddDocument(name="blank.md", make=lambda: b" \r\n\t \n", refused="empty"),
        OddDocument(name="mark-only.txt", make=lambda: b"\xef\xbb\xbf", refused="no text"),
        OddDocument(name="zeros.txt", make=lambda: bytes(5_000), refused="no text"),
        OddDocument(name="heading-only.md", make=lambda: b"# Title\n## Part\n", refused="no text"),
        OddDocument(
            name="half-a-sign.txt",
            make=lambda: CHINESE.encode("utf-16")[:-1],
            refused="UTF-16 but it is damaged",
        ),
        OddDocument(
            name="damaged-32.txt",
            make=lambda: CHINESE.encode("utf-32")[:-2],
            refused="UTF-32 but it is damaged",
        ),
        OddDocument(
            name="damaged-8.txt",
            make=lambda: b"\xef\xbb\xbfgood \xff\xfe bad",
            refused="UTF-8 but it is damaged",
        ),
        OddDocument(
            name="noise.txt",
            make=lambda: noise.randbytes(30_000),
            refused=f"{NOT_RECOGNISED}|not a text file",
        ),
        OddDocument(
            name="noise.md",
            make=lambda: b"\x90" + noise.randbytes(3_000),
            refused=f"{NOT_RECOGNISED}|not a text file",
        ),
        OddDocument(
            name="one-bad-byte.txt",
            make=lambda: CHINESE.encode() + b"\xff" + CHINESE.encode(),
            refused=NOT_RECOGNISED,
        ),
        OddDocument(
            name="two-encodings.txt",
            make=lambda: (CHINESE * 3).encode() + (CHINESE * 3).encode("gbk"),
            refused=NOT_RECOGNISED,
        ),
        OddDocument(
            name="damaged-gbk.txt",
            make=lambda: CHINESE.encode("gbk")[:20] + b"\xff" + CHINESE.encode("gbk")[20:],
            refused=NOT_RECOGNISED,
        ),
        OddDocument(
            name="lone-surrogate.txt",
            make=lambda: ("支付\ud800" + CHINESE).encode("utf-8", "surrogatepass"),
            refused=NOT_RECOGNISED,
        ),
        OddDocument(
            name="replaced.txt",
            make=("订\ufffd\ufffd单" * 50).encode,
            refused="text is damaged",
        ),
        OddDocument(
            name="controls.txt",
            make=lambda: bytes(range(1, 32)) * 50,
            refused="not a text file",
        ),
        OddDocument(
            name="cut-within-a-sign.txt",
            make=lambda: (CHINESE * 20).encode()[:-1],
            words=("库存同时释放",),
        ),
    ]


def _unwanted_signs() -> list[OddDocument]:
    return [
        OddDocument(
            name="nul.txt",
            make=(ENGLISH * 5 + "\x00 end").encode,
            words=("released. end",),
        ),
        OddDocument(
            name="nul-in-heading.md",
            make=f"# A\x00B\n\n## C\x00D\n\n{ENGLISH}".encode,
            words=("AB", "CD"),
        ),
        OddDocument(
            name="turned-heading.md",
            make=f"# Safe \u202efdp.exe\n\n{ENGLISH}".encode,
            words=("Safe fdp.exe",),
        ),
        OddDocument(
            name="terminal.txt",
            make=f"\x1b[31m{ENGLISH * 3}\x1b[0m".encode,
            words=("Unpaid orders",),
        ),
        OddDocument(
            name="old-line-ends.txt",
            make=f"{ENGLISH}\r\r{CHINESE}\r".encode,
            words=("Unpaid orders", "优惠券退回账户"),
        ),
        OddDocument(
            name="many-marks.txt",
            make=lambda: ("\ufeff".join(ENGLISH)).encode(),
            words=(ENGLISH,),
        ),
        OddDocument(
            name="line-separators.txt",
            make=f"{ENGLISH}\u2028{CHINESE}\u2029{ENGLISH}".encode,
            words=(ENGLISH, CHINESE),
        ),
        OddDocument(
            name="stacked-accents.txt",
            make=("Z" + "\u0301" * 5_000 + " " + ENGLISH).encode,
            words=("Unpaid orders",),
        ),
        OddDocument(
            name="emoji.md",
            make=("👩‍👩‍👧‍👦🏳️‍🌈" * 3_000 + f"\n\n{ENGLISH}").encode,
            words=("👩‍👩‍👧‍👦", "Unpaid orders"),
        ),
        OddDocument(
            name="one-sign-for-eighteen.txt",
            make=("\ufdfa" * 3_000).encode,
            words=("\ufdfa",),
        ),
        OddDocument(
            name="rare-han.txt",
            make=lambda: "".join(chr(0x20000 + number) for number in range(5_000)).encode(),
            words=("\U00020001", "\U00021000"),
        ),
    ]


def _endless() -> list[OddDocument]:
    """Texts that a careless reader needs forever for."""
    return [
        OddDocument(name="one-line.txt", make=lambda: b"a" * 3_000_000, words=("a" * 100,)),
        OddDocument(name="one-line-zh.txt", make=("茶叶" * 300_000).encode, words=("茶叶茶叶",)),
        OddDocument(
            name="abbreviations.txt", make=lambda: b"e.g. No. " * 20_000, words=("e.g. No.",)
        ),
        OddDocument(name="hashes.md", make=lambda: b"#" * 1_000_000, words=("####",)),
        OddDocument(
            name="spaced-heading.md",
            make=lambda: b"# a" + b" #" * 100_000 + b"x\n\nText that is there.",
            words=("Text that is there.",),
        ),
        OddDocument(name="wrapped.md", make=lambda: b"word\n" * 100_000, words=("word word word",)),
        OddDocument(
            name="newlines.txt",
            make=lambda: b"begin\n" + b"\n" * 2_000_000 + b"end of it",
            words=("begin", "end of it"),
        ),
        OddDocument(name="headings.md", make=lambda: b"## h\ntext\n\n" * 10_000, words=("text",)),
        OddDocument(
            name="long-heading.md",
            make=lambda: b"# " + b"long " * 50_000 + b"\n\nText below.",
            words=("Text below.", "long long"),
        ),
        OddDocument(
            name="wide-table.md",
            make=(
                "|" + " name |" * 3_000 + "\n|" + "---|" * 3_000 + "\n|" + " cell |" * 3_000
            ).encode,
            words=("name: cell",),
        ),
        OddDocument(
            name="open-fence.md", make=lambda: b"```\n" + b"x = 1\n" * 20_000, words=("x = 1",)
        ),
        OddDocument(
            name="open-front-matter.md",
            make=lambda: b"---\n" + b"key: value\n" * 20_000,
            words=("key: value",),
        ),
        OddDocument(name="quotes.md", make=lambda: b">" * 200_000 + b" quoted", words=("quoted",)),
        OddDocument(
            name="too-much-text.txt",
            make=lambda: f"{ENGLISH}\n\n".encode() * 65_000,
            words=("Unpaid orders",),
            note="Only the first 4,500,000 characters",
        ),
        OddDocument(
            name="base64.txt",
            make=lambda: b"QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo5" * 3_000,
            words=("QUJDREVG",),
        ),
        OddDocument(name="far-too-large.txt", make=lambda: b"a" * 50_000_001, refused="50 MB"),
    ]


def json_files() -> list[OddDocument]:
    """JSON that is deep, large, broken or of another shape."""
    good = [{"type": "faq", "title": "Refunds", "content": ENGLISH}]
    return [
        OddDocument(name="deep.json", make=lambda: b"[" * 200_000, refused="nested too deeply"),
        OddDocument(
            name="deep-objects.json",
            make=lambda: b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
            refused="nested too deeply",
        ),
        OddDocument(
            name="huge-number.json", make=lambda: b"[" + b"9" * 100_000 + b"]", refused="not valid"
        ),
        OddDocument(name="cut.json", make=lambda: b'[{"title": "a', refused="not valid JSON"),
        OddDocument(name="comma.json", make=lambda: b'[{"content": "a"},]', refused="not valid"),
        OddDocument(name="object.json", make=lambda: b'{"title": "a"}', refused="list of objects"),
        OddDocument(name="word.json", make=lambda: b'"word"', refused="list of objects"),
        OddDocument(name="nan.json", make=lambda: b"NaN", refused="list of objects"),
        OddDocument(name="empty-list.json", make=lambda: b"[]", refused="no text"),
        OddDocument(name="numbers.json", make=lambda: b"[1, 2, null, true]", refused="no text"),
        OddDocument(
            name="many-empty.json",
            make=lambda: json.dumps([*good, *([{"title": "x"}] * 30_000)]).encode(),
            words=(ENGLISH,),
            note="29980 further entries",
        ),
        OddDocument(
            name="escapes.json",
            make=lambda: (
                b'[{"type": "\\u0000fa\\ud800q", "title": "Ref\\u0000und\\udfff\\n\\ns", '
                b'"summary": "in\\u0000 short", "content": "Within\\ud800 3 days \\ud83d\\ude00"}]'
            ),
            words=("Refund s", "Within 3 days 😀"),
        ),
        OddDocument(
            name="long-fields.json",
            make=lambda: json.dumps(
                [
                    {
                        "type": "t" * 9_000,
                        "title": "题" * 9_000,
                        "summary": "概" * 9_000,
                        "content": CHINESE,
                    }
                ]
            ).encode(),
            words=(CHINESE,),
        ),
        OddDocument(
            name="wrong-types.json",
            make=lambda: json.dumps(
                [{"title": ["x"], "type": 5, "summary": None, "content": ENGLISH}, {"content": {}}]
            ).encode(),
            words=(ENGLISH,),
            note="Entry 2 was skipped",
        ),
        OddDocument(
            name="one-large-entry.json",
            make=lambda: json.dumps([{"title": "T", "content": "\\" * 400_000}]).encode(),
            words=("\\\\\\",),
        ),
    ]
