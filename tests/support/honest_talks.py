"""Discussions that look like circles or hasty closings and are none: no guard may step in."""

from typing import Any

from tests.support.scripted_talks import Talk, cites, point, stance, turn

A, B, F, T, P = "architect", "backend", "frontend", "tester", "product_manager"

OPENING = turn("One question: how long may a return take?", B, points=[point()])
SETTLED = turn(
    "Settled: fourteen days.", done=True, points=[point("settled", "the handbook says so")]
)


def _honest(
    name: str,
    turns: dict[str, list[dict[str, Any]]],
    *,
    opening: dict[str, Any] = OPENING,
    **more: Any,
) -> Talk:
    """The architect opens, `turns` says who speaks, and the architect closes at the end."""
    architect = [opening, *turns.pop(A, []), SETTLED]
    return Talk(
        name=name,
        turns={A: architect, **turns},
        reason=more.pop("reason", "closed_by_architect"),
        **more,
    )


SHORT_AGREEMENTS = _honest(
    "short agreements with substance",
    {
        B: [turn(f"Fourteen days {cites(B)}.", F, stances=[stance("agree")])],
        F: [
            turn(f"Agreed, thanks: the page says so too {cites(F)}.", T, stances=[stance("agree")])
        ],
        T: [turn("Good point, I agree.", P, stances=[stance("agree", "the suite covers it")])],
        P: [turn(f"Yes, agreed. Customers know it {cites(P)}.", A, stances=[stance("agree")])],
    },
)
TWO_SETTLE_A_MATTER = _honest(
    "two roles settle a matter with new evidence each time",
    {
        B: [
            turn(f"The window is fourteen days {cites(B)}.", T),
            turn(f"Then the clock starts at delivery {cites(B, 1)}.", T),
            turn(f"And a parcel that is late pauses it {cites(B, 2)}.", T),
        ],
        T: [
            turn(f"From which day do we count? {cites(T)}", B),
            turn(f"What holds for a lost parcel? {cites(T, 1)}", B),
            turn(f"Then the suite needs one more case {cites(T, 2)}.", A),
        ],
    },
)
QUOTED_TO_OBJECT = _honest(
    "a role quotes a colleague to object",
    {
        B: [
            turn(f"Returns are taken back within fourteen days of delivery {cites(B)}.", T),
            turn(
                "Then I give in: thirty days.",
                A,
                stances=[stance("agree", changed_because="the suite says thirty days")],
            ),
        ],
        T: [
            turn(
                "Backend says “Returns are taken back within fourteen days of delivery”, "
                "and that is wrong.",
                B,
                stances=[stance("object", resolves_if="the handbook is corrected to thirty days")],
            )
        ],
        A: [],
    },
    opening=OPENING,
)
ASKED_AGAIN_WITH_NUMBERS = _honest(
    "a follow-up question with new numbers",
    {
        B: [
            turn(f"Within fourteen days a return is free of charge {cites(B)}.", T),
            turn(f"For 20 parcels a day, yes {cites(B, 1)}.", T),
            turn(f"For 500 parcels a day we need a second gate {cites(B, 2)}.", A),
        ],
        T: [
            turn("Does the returns gate hold when 20 parcels arrive in one day at the depot?", B),
            turn("Does the returns gate hold when 500 parcels arrive in one day at the depot?", B),
        ],
    },
)
POLITE_CHINESE = _honest(
    "Chinese courtesy with content",
    {
        B: [turn(f"感谢架构师。退货期限是签收后十四天{cites(B)}。", F, stances=[stance("agree")])],
        F: [turn("谢谢后端，说得很好。页面要在第十三天提醒用户。", T, stances=[stance("agree")])],
        T: [turn("辛苦了，同意。验收用例要覆盖第十五天。", A, stances=[stance("agree")])],
    },
    opening=turn("一个问题：退货可以多久？", B, points=[point()]),
    brief="做一个退货页面",
)
ONE_THANKS = _honest(
    "one thanks in between",
    {
        B: [turn(f"Fourteen days {cites(B)}.", F)],
        F: [turn("Thank you, that is clear.", T)],
        T: [turn(f"The suite counts the same {cites(T)}.", A)],
    },
)
CHANGED_WITH_CAUSE = _honest(
    "a role changes its mind and says why",
    {
        B: [
            turn(
                f"I object: seven days {cites(B)}.",
                T,
                stances=[stance("object", resolves_if="a newer rule exists")],
            ),
            turn(
                "With that I agree.",
                A,
                stances=[stance("agree", changed_because="the tester showed the newer rule")],
            ),
        ],
        T: [turn(f"There is a newer rule: fourteen days {cites(T)}.", B)],
    },
)
MODERATED = _honest(
    "the architect moderates between two roles",
    {
        A: [
            turn("Backend has fourteen days; tester, what do you have?", T),
            turn("Tester has thirty; backend, which is newer?", B, points=[point()]),
            turn("Tester, does that resolve it?", T),
        ],
        B: [
            turn(f"Fourteen days {cites(B)}.", A, stances=[stance("agree")]),
            turn(f"Ours is from this spring {cites(B, 1)}.", A),
        ],
        T: [
            turn(f"Thirty days {cites(T)}.", A, stances=[stance("question")]),
            turn("Yes, ours is older.", A, stances=[stance("agree", "the other paper is newer")]),
        ],
    },
)
RECORDED_OPEN = Talk(
    name="a point is recorded as open with its reason",
    turns={
        A: [
            OPENING,
            turn(
                "We leave it open.",
                done=True,
                points=[point("recorded_open", "the figures of spring are missing")],
            ),
        ],
        B: [turn(f"Nobody has measured it {cites(B)}.", T)],
        T: [turn(f"Nor have we {cites(T)}.", A)],
    },
    reason="closed_by_architect",
)
SETTLED_OVER_OBJECTION = _honest(
    "a point is settled over an objection, and the reason says why",
    {
        B: [turn(f"Fourteen days {cites(B)}.", T)],
        T: [
            turn(
                f"I object {cites(T)}.",
                A,
                stances=[stance("object", resolves_if="the suite is changed first")],
            )
        ],
    },
)
PLANS_WITHOUT_SEARCH = _honest(
    "a role without a search asks and plans, with the numbers of the brief",
    {
        B: [turn(f"Fourteen days {cites(B)}.", T)],
        T: [
            turn(
                "We must test the 30 days of the brief. Must the window hold on weekends? "
                "I have no numbers of my own.",
                A,
                stances=[stance("question", "no numbers")],
            )
        ],
    },
    brief="Build the returns page with a window of 30 days",
    without_search=(T,),
)
SAME_FIRST_OPINIONS = _honest(
    "two first opinions say the same, since neither has heard the other",
    {
        B: [turn("The window should be counted from the day of delivery.", A)],
        F: [turn("The window should be counted from the day of delivery.", B)],
        T: [turn("The window should be counted from the day of delivery.", B)],
        P: [turn("The window should be counted from the day of delivery.", B)],
    },
    opening=turn("How long?", B, points=[point()], first_opinions=True),
)
NOTHING_KNOWN = Talk(
    name="no table knows anything, so the architect closes at once",
    turns={A: [turn("Nobody knows anything about this.", done=True)]},
    reason="nothing_known",
    coverage=0.05,
)

HONEST_TALKS = (
    SHORT_AGREEMENTS,
    TWO_SETTLE_A_MATTER,
    QUOTED_TO_OBJECT,
    ASKED_AGAIN_WITH_NUMBERS,
    POLITE_CHINESE,
    ONE_THANKS,
    CHANGED_WITH_CAUSE,
    MODERATED,
    RECORDED_OPEN,
    SETTLED_OVER_OBJECTION,
    PLANS_WITHOUT_SEARCH,
    SAME_FIRST_OPINIONS,
    NOTHING_KNOWN,
)
