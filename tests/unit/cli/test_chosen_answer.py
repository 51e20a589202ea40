"""What a person types below a role's question."""

from meetmind.cli.chat import chosen_answer

CHOICES = ("EU", "All countries")


def test_a_number_is_a_choice_and_anything_else_is_the_answer() -> None:
    assert chosen_answer(" 2 ", CHOICES) == "All countries"
    assert chosen_answer("only Norway ", CHOICES) == "only Norway"
    assert chosen_answer("3", CHOICES) == "3"
    assert chosen_answer("0", CHOICES) == "0"
    assert chosen_answer("1", ()) == "1"


def test_nothing_typed_leaves_the_question_open() -> None:
    assert chosen_answer("  ", CHOICES) == ""
