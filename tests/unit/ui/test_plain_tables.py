from meetmind.ui.plain_tables import with_plain_tables
from meetmind.ui.safe_text import safe_markdown


def with_tables(text: str) -> str:
    return "\n".join(with_plain_tables(text.split("\n")))


def test_a_table_of_a_plain_text_stays_a_table_when_it_is_made_safe() -> None:
    shown = safe_markdown("Fees:\n| fee | size |\n|:---|:---:|\n| $5 | 1 |", keep_lines=True)
    assert shown == "Fees:  \n\n| fee | size |\n|---|---|\n| \\$5 | 1 |"


def test_a_table_without_outer_bars_stays_a_table() -> None:
    assert with_tables("fee | size\n:--- | ---:\n5 | 1") == "fee | size\n--- | ---\n5 | 1"


def test_rows_of_a_table_that_was_cut_stand_on_lines_of_their_own() -> None:
    assert with_tables("| a | b |\n| c | d |\nend") == "| a | b |\n\n| c | d |\n\nend"


def test_a_sentence_with_a_bar_is_left_as_it_is() -> None:
    assert with_tables("yes | no\nor not") == "yes | no\nor not"


def test_a_table_in_code_is_left_as_it_is() -> None:
    code = "```\n| a |\n|:-:|\n```\nend"
    assert with_tables(code) == code
