from streamlit.testing.v1 import AppTest

from meetmind.i18n.translate import translate
from meetmind.ui.show_text import BEGINNING, LONGEST_SHOWN, beginning_of

LAST_WORDS = "the very last words"
LONG = "A line of $5 and $10.\n" * 400 + LAST_WORDS
SECONDS = 20.0


def drawn(words: str) -> AppTest:
    def draw(words: str) -> None:
        from meetmind.ui.show_text import show_text

        show_text(words, "a", keep_lines=True)

    app = AppTest.from_function(draw, args=(words,), default_timeout=SECONDS)
    app.context = {"locale": "en-US"}
    return app.run()


def words_of(app: AppTest) -> str:
    return "\n".join(str(shown.value) for shown in app.markdown)


def test_a_short_text_is_drawn_whole() -> None:
    app = drawn("costs $5 and $10 ![x](http://a.test/i)")
    assert not app.exception
    assert words_of(app).startswith(r"costs \$5 and \$10 !\[x\]")
    assert len(app.expander) == 0


def test_a_long_text_shows_its_beginning_and_how_long_it_is() -> None:
    app = drawn(LONG)
    assert not app.exception
    assert words_of(app).startswith(r"A line of \$5")
    assert LAST_WORDS not in words_of(app)
    label = translate("long_text.whole", "en", count=f"{len(LONG):,}")
    assert app.expander[0].label == label


def test_a_beginning_ends_with_a_line() -> None:
    assert len(LONG) > LONGEST_SHOWN
    beginning = beginning_of(LONG)
    assert beginning.endswith("$10. …")
    assert len(beginning) <= BEGINNING + 2


def test_a_text_without_any_end_is_cut_where_it_must_be() -> None:
    assert beginning_of("a" * 10_000) == "a" * BEGINNING + " …"
