"""Discussions that go in circles or close too early, each with the end that they must have."""

from tests.support.scripted_talks import Talk, cites, point, stance, turn

A, B, F, T, P = "architect", "backend", "frontend", "tester", "product_manager"

OPENING = turn("One question: how long may a return take?", B, points=[point()])
VARIED = (
    "The window could be wider on our side, as far as I see it.",
    "Seen from another angle the window matters more than the form.",
    "It really depends on how the window is understood by everybody.",
    "Let me put the window differently so that it becomes clearer.",
    "There are arguments on both sides of this window, plainly.",
    "One more thought on the window, since we are at it anyway.",
    "The window remains the crux, whichever way we turn it around.",
    "Again the window, this time from the view of the process.",
)
VARIED_ZH = (
    "从我们这边看，退货期限还可以再商量。",
    "换个角度，期限比表单更要紧。",
    "关键还是大家怎么理解这个期限。",
    "我再换一种说法，好让期限更清楚。",
    "期限这件事，两边都有道理。",
    "既然说到期限，我再补一句。",
)


def _varied(following: str, texts: tuple[str, ...] = VARIED) -> list[dict[str, object]]:
    return [turn(text, following) for text in texts]


THANKS = Talk(
    name="thanks loop",
    turns={
        A: [OPENING, turn("Thank you all, great work!", T)],
        B: [turn("Thanks, Architect, excellent question!", T)],
        F: [turn("Thanks everyone, wonderful input.", B)],
        T: [turn("Thank you, Backend, great point!", B)],
        P: [turn("Much appreciated, well said.", B)],
    },
    reason="going_in_circles",
    guards=("thanks_loop", "nothing_moves"),
)
THANKS_ZH = Talk(
    name="thanks loop in Chinese",
    brief="做一个退货页面",
    turns={
        A: [turn("一个问题：退货可以多久？", B, points=[point()]), turn("谢谢大家，辛苦了！", T)],
        B: [turn("感谢架构师，说得很好！", T)],
        F: [turn("谢谢各位，观点很精彩。", B)],
        T: [turn("谢谢后端同事，完全同意！", B)],
        P: [turn("非常感谢大家的宝贵意见。", B)],
    },
    reason="going_in_circles",
    guards=("thanks_loop", "nothing_moves"),
)
SAME_SPEAKER = Talk(
    name="the same speaker again and again",
    turns={
        A: [OPENING, *_varied(B)],
        B: _varied(B),
        F: _varied(B),
        T: _varied(B),
        P: _varied(B),
    },
    reason="going_in_circles",
    guards=("same_speaker", "nothing_moves"),
)
TWO_IN_CIRCLES = Talk(
    name="two roles in circles",
    turns={
        A: [OPENING, *_varied(B)],
        B: _varied(T),
        F: _varied(B),
        T: _varied(B, VARIED[::-1]),
        P: _varied(B),
    },
    reason="going_in_circles",
    guards=("going_in_circles", "nothing_moves"),
)
TWO_IN_CIRCLES_ZH = Talk(
    name="two roles in circles in Chinese",
    brief="做一个退货页面",
    turns={
        A: [turn("一个问题：退货可以多久？", B, points=[point()]), *_varied(B, VARIED_ZH)],
        B: _varied(T, VARIED_ZH),
        F: _varied(B, VARIED_ZH),
        T: _varied(B, VARIED_ZH[::-1]),
        P: _varied(B, VARIED_ZH),
    },
    reason="going_in_circles",
    guards=("going_in_circles", "nothing_moves"),
)
THREE_IN_CIRCLES = Talk(
    name="three roles in circles",
    turns={
        A: [OPENING, *_varied(B)],
        B: _varied(F),
        F: _varied(T, VARIED[3:] + VARIED[:3]),
        T: _varied(B, VARIED[::-1]),
        P: _varied(B),
    },
    reason="going_in_circles",
    guards=("three_in_circles", "nothing_moves"),
)
ONE_VOICE = Talk(
    name="one role speaks every second turn",
    turns={
        A: [OPENING, *_varied(B)],
        B: [turn(text, name) for text, name in zip(VARIED, (F, T, P, A, F, T, P, A), strict=True)],
        F: [turn(text, B) for text in ("The page can follow.", "The page follows still.")],
        T: [turn(text, B) for text in ("Tests can follow.", "Tests follow still.")],
        P: [turn(text, B) for text in ("The plan can follow.", "The plan follows still.")],
    },
    reason="going_in_circles",
    guards=("one_voice", "nothing_moves"),
)
OWN_WORDS_AGAIN = Talk(
    name="a role repeats itself",
    turns={
        A: [OPENING, *_varied(B)],
        B: [turn(f"A return is taken back within fourteen days of delivery {cites(B)}.", A)],
        F: _varied(B),
        T: _varied(B),
        P: _varied(B),
    },
    reason="going_in_circles",
    guards=("already_said", "nothing_moves"),
)
SAME_SOURCES_AGAIN = Talk(
    name="a role cites the same again in other words",
    turns={
        A: [OPENING, *_varied(B)],
        B: [
            turn(f"Returns are accepted within fourteen days of delivery {cites(B)}.", T),
            turn(
                f"As said, returns are accepted within fourteen days, counted by us {cites(B)}.", T
            ),
        ],
        F: _varied(B),
        T: _varied(B),
        P: _varied(B),
    },
    reason="going_in_circles",
    guards=("already_said", "nothing_moves"),
)
COLLEAGUES_WORDS_ZH = Talk(
    name="a role repeats a colleague in Chinese",
    brief="做一个退货页面",
    turns={
        A: [turn("一个问题：退货可以多久？", B, points=[point()]), *_varied(B, VARIED_ZH)],
        B: [turn(f"退货期限是签收后十四天，超过期限由客服处理{cites(B)}。", T)],
        F: _varied(B, VARIED_ZH),
        T: [
            turn("测试这边先看看现有的用例怎么写。", B),
            turn("退货期限是签收后十四天，超过期限由客服处理。", B),
        ],
        P: _varied(B, VARIED_ZH),
    },
    reason="going_in_circles",
    guards=("already_said", "nothing_moves"),
)
CLAIMS = Talk(
    name="facts without ever looking up",
    turns={
        A: [OPENING, *_varied(T)],
        B: _varied(T),
        F: _varied(T),
        T: [
            turn("Returns are accepted for 45 days and refunds take 7 working days.", A),
            turn("Every return is always checked by hand, in 45 days or less.", A),
        ],
        P: _varied(T),
    },
    without_search=(T,),
    reason="going_in_circles",
    guards=("never_looked_up", "nothing_moves"),
)
OBJECTION_WITHOUT_WAY_OUT = Talk(
    name="an objection that names no remedy, for ever",
    turns={
        A: [OPENING, *_varied(B)],
        B: [turn(text, A, stances=[stance("object", "I do not like it")]) for text in VARIED],
        F: _varied(B),
        T: _varied(B),
        P: _varied(B),
    },
    reason="going_in_circles",
    guards=("objection_without_way_out", "nothing_moves"),
)
TO_AND_FRO = Talk(
    name="a role turns to and fro without saying why",
    turns={
        A: [OPENING, *_varied(B)],
        B: [
            turn(
                text,
                A,
                stances=[
                    stance("agree")
                    if number % 2 == 0
                    else stance("object", resolves_if="it is shorter")
                ],
            )
            for number, text in enumerate(VARIED)
        ],
        F: _varied(B),
        T: _varied(B),
        P: _varied(B),
    },
    reason="going_in_circles",
    guards=("changed_without_cause", "nothing_moves"),
)


def _closings(name: str, guard: str, closing: dict[str, object], **others: object) -> Talk:
    """The architect opens, hears two roles, and closes again and again in the same way."""
    words = {
        B: [turn(f"Returns take fourteen days {cites(B)}.", T), turn("As before.", A)],
        T: [turn(f"The test suite covers it {cites(T)}.", A), turn("As before.", A)],
        F: [turn(f"The page shows it {cites(F)}.", A), turn("As before.", A)],
        P: [turn(f"Customers were told so {cites(P)}.", A), turn("As before.", A)],
    }
    words.update(others)  # type: ignore[arg-type]
    return Talk(
        name=name,
        turns={A: [OPENING, closing], **words},
        reason="closed_with_open_points",
        guards=(guard, "closing_insisted"),
    )


CLOSING_AT_ONCE = Talk(
    name="the architect closes before anybody was heard",
    turns={
        A: [turn("That is settled, we are done.", done=True, points=[point()])],
        B: [turn(f"Returns take fourteen days {cites(B)}.", A)],
        F: [turn(f"The page shows it {cites(F)}.", A)],
        T: [turn(f"The test suite covers it {cites(T)}.", A)],
        P: [turn(f"Customers were told so {cites(P)}.", A)],
    },
    reason="closed_with_open_points",
    guards=("closing_too_early", "closing_insisted"),
)
CLOSING_WITH_OPEN = _closings(
    "the architect closes over an open point",
    "points_still_open",
    turn("We are done.", done=True, points=[point()]),
)
CLOSING_WITHOUT_REASON = _closings(
    "a point is put aside without a reason",
    "open_without_reason",
    turn("We are done.", done=True, points=[point("recorded_open")]),
)
CLOSING_OVER_OBJECTION = _closings(
    "a point is settled over an objection",
    "settled_over_objection",
    turn("We are done.", done=True, points=[point("settled")]),
    backend=[
        turn(
            f"I object: fourteen days {cites(B)}.",
            T,
            stances=[stance("object", resolves_if="the window is fourteen days")],
        ),
        turn("My objection stands.", A),
    ],
)
CLOSING_WITHOUT_POINTS = Talk(
    name="nobody ever says what is to be settled",
    turns={
        A: [turn("Let us begin.", B), turn("We are done.", done=True)],
        B: [turn(f"Returns take fourteen days {cites(B)}.", T), turn("As before.", A)],
        F: [turn(f"The page shows it {cites(F)}.", A), turn("As before.", A)],
        T: [turn(f"The test suite covers it {cites(T)}.", A), turn("As before.", A)],
        P: [turn(f"Customers were told so {cites(P)}.", A), turn("As before.", A)],
    },
    reason="closed_with_open_points",
    guards=("points_not_framed", "closing_insisted"),
)

CIRCLING_TALKS = (
    THANKS,
    THANKS_ZH,
    SAME_SPEAKER,
    TWO_IN_CIRCLES,
    TWO_IN_CIRCLES_ZH,
    THREE_IN_CIRCLES,
    ONE_VOICE,
    OWN_WORDS_AGAIN,
    SAME_SOURCES_AGAIN,
    COLLEAGUES_WORDS_ZH,
    CLAIMS,
    OBJECTION_WITHOUT_WAY_OUT,
    TO_AND_FRO,
    CLOSING_AT_ONCE,
    CLOSING_WITH_OPEN,
    CLOSING_WITHOUT_REASON,
    CLOSING_OVER_OBJECTION,
    CLOSING_WITHOUT_POINTS,
)
