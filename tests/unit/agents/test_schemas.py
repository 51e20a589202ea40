"""A model's structured answer, read with patience."""

import pytest

from meetmind.agents.schemas import ModelOutput, model_output_schema


@pytest.mark.parametrize("word", [True, "true", "Yes", "1", "y", "DONE", "完成", 1])
def test_done_is_read_in_all_its_spellings(word: object) -> None:
    assert ModelOutput.model_validate({"content": "x", "done": word}).done


@pytest.mark.parametrize("word", [False, "false", "no", "", None, 0, "maybe", [], {}])
def test_anything_else_is_not_done(word: object) -> None:
    assert not ModelOutput.model_validate({"content": "x", "done": word}).done


def test_a_broken_optional_field_never_fails_the_turn() -> None:
    output = ModelOutput.model_validate(
        {
            "content": "x",
            "next_agent": 7,
            "handover_reason": None,
            "stances": [{"point_id": "P1", "stance": "shrug"}, "nonsense"],
            "points": "none",
            "unheard_of": True,
        }
    )
    assert output.next_agent == ""
    assert output.stances == []
    assert output.points == []


def test_a_valid_stance_survives_a_broken_neighbour() -> None:
    output = ModelOutput.model_validate(
        {"content": "x", "stances": [{"stance": "agree"}, {"point_id": "P1", "stance": "object"}]}
    )
    assert [stance.point_id for stance in output.stances] == ["P1"]


def test_content_comes_first_in_the_schema_so_that_it_streams() -> None:
    schema = model_output_schema(["backend"], with_points=True)
    assert next(iter(schema["properties"])) == "content"
    assert "points" not in model_output_schema(["backend"], with_points=False)["properties"]


def test_a_closing_can_name_the_end_of_every_point() -> None:
    properties = model_output_schema(["backend"], with_points=True, points_so_far=7)["properties"]
    assert properties["points"]["maxItems"] == properties["stances"]["maxItems"] == 7
