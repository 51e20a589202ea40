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

POLLED_ONE_BY_ONE = _honest(
    "everybody is asked in turn and agrees in a word",
    {
        B: [turn("Agreed, nothing to add from my side.", F, stances=[stance("agree", "it fits")])],
        F: [turn("Agreed.", T, stances=[stance("agree", "the page can show it")])],
        T: [turn("Agreed, that is right.", P, stances=[stance("agree", "it can be tested")])],
        P: [turn("I agree as well.", A, stances=[stance("agree", "customers expect it")])],
    },
)
POLLED_IN_CHINESE = _honest(
    "逐个表态，一句话同意",
    {
        B: [turn("同意，我这边没有补充。", F, stances=[stance("agree", "接口不用改")])],
        F: [turn("同意。", T, stances=[stance("agree", "页面放得下")])],
        T: [turn("我也同意，没问题。", A, stances=[stance("agree", "可以测")])],
    },
    opening=turn("退货期限定为签收后十四天，大家同意吗？", B, points=[point()]),
    brief="做一个退货页面",
)
REOPENED = _honest(
    "a settled point is opened again by new evidence and settled anew",
    {
        A: [
            turn("Then fourteen days.", T, points=[point("settled", "the handbook says so")]),
            turn("That changes it; open again. Backend?", B, points=[point()]),
        ],
        B: [
            turn(f"Fourteen days {cites(B)}.", A, stances=[stance("agree")]),
            turn(
                f"The newer paper is ours, so it holds {cites(B, 1)}.",
                T,
                stances=[stance("agree", changed_because="nothing changed")],
            ),
        ],
        T: [
            turn(
                f"I found a paper with thirty {cites(T)}.",
                A,
                stances=[stance("object", resolves_if="it is shown which paper is newer")],
            ),
            turn(
                "Then I take it back.",
                A,
                stances=[stance("agree", changed_because="the backend paper is newer")],
            ),
        ],
    },
)
NUMBERS_FROM_THE_BRIEF_IN_CHINESE = _honest(
    "没有检索的角色只用需求里的数字",
    {
        B: [turn(f"现在的接口能撑住{cites(B)}。", P)],
        P: [turn("那就按 30 天、每单 2 件来做，首页先不改。", T)],
        T: [turn(f"用例按这个写{cites(T)}。", A)],
    },
    opening=turn("一个问题：退货可以多久？", B, points=[point()]),
    brief="做一个退货页面，期限 30 天，每单最多 2 件",
    without_search=(P,),
)
TWO_ROUNDS_OF_WORDS = _honest(
    "five roles go round twice and each says more than the first time",
    {
        A: [turn("Second round: what could break?", B, points=[point()])],
        B: [
            turn(f"Fourteen days {cites(B)}.", F),
            turn(f"The queue could overflow {cites(B, 1)}.", F),
        ],
        F: [
            turn(f"The page can show it {cites(F)}.", T),
            turn(f"A slow phone could time out {cites(F, 1)}.", T),
        ],
        T: [
            turn(f"It can be tested {cites(T)}.", P),
            turn(f"Leap years could break it {cites(T, 1)}.", P),
        ],
        P: [
            turn(f"Customers expect it {cites(P)}.", A),
            turn(
                f"A rush at Christmas {cites(P, 1)}.",
                A,
                stances=[stance("agree")],
            ),
        ],
    },
)
ARGUED_WITHOUT_SOURCES = _honest(
    "two roles argue in new words on a matter of taste and come to terms",
    {
        F: [
            turn("A stepper with three pages frightens nobody; one long form does.", P),
            turn("On a phone the keyboard hides half of a long form, whatever it promises.", P),
            turn(
                "Two pages, with the address last: I can live with that.",
                A,
                stances=[stance("agree", "two pages are enough")],
            ),
        ],
        P: [
            turn(
                "Every further page loses buyers, so I would rather see one form.",
                F,
                stances=[stance("question", "how many leave?")],
            ),
            turn(
                "Then let us meet in the middle and see who leaves where.",
                F,
                stances=[stance("agree", "a middle way")],
            ),
        ],
        A: [],
    },
    opening=turn("One question: one form or several pages?", F, points=[point()]),
)

HONEST_TALKS = (
    POLLED_ONE_BY_ONE,
    POLLED_IN_CHINESE,
    REOPENED,
    NUMBERS_FROM_THE_BRIEF_IN_CHINESE,
    TWO_ROUNDS_OF_WORDS,
    ARGUED_WITHOUT_SOURCES,
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
