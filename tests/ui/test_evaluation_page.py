from pathlib import Path

from streamlit.testing.v1 import AppTest

from meetmind.evaluation.evaluation_room import HOME
from meetmind.evaluation.evaluation_runs import RUNS, store_run
from meetmind.server.services import Services
from tests.support.evaluation_run import (
    FIRST_TIME,
    NO_ANSWER,
    SECOND_TIME,
    measured_run,
    measured_set,
)
from tests.ui.conftest import SignedIn, app_of, words_of


def on_evaluation(person: SignedIn, locale: str = "en-US") -> AppTest:
    app = app_of(person, locale=locale).run()
    app.switch_page("pages/evaluation.py").run()
    assert not app.exception
    return app


def home_of(services: Services) -> Path:
    return services.settings.meetmind_home / HOME


def store_two_runs(services: Services) -> None:
    store_run(
        home_of(services),
        measured_run(FIRST_TIME, measured_set("en", 0.8), measured_set("zh", 0.9)),
    )
    store_run(
        home_of(services),
        measured_run(
            SECOND_TIME,
            measured_set("en", 0.85),
            measured_set("zh", 0.88),
            measured_set("somebody's own", 0.5),
            no_answer=NO_ANSWER,
        ),
    )


def test_the_empty_page_says_what_would_fill_it(services: Services, admin: SignedIn) -> None:
    app = on_evaluation(admin)
    assert "No measurement yet" in words_of(app)
    assert "make evaluate" in app.code[0].value
    assert "**nDCG@10** looks at the first 10 passages" in words_of(app)
    assert "are on the Rerank page" in words_of(app)
    assert not app.get("plotly_chart")


def test_the_page_opens_in_chinese(services: Services, admin: SignedIn) -> None:
    store_two_runs(services)
    shown = words_of(on_evaluation(admin, locale="zh-CN"))
    assert "变好了吗？" in shown
    assert "**英文问题**" in shown
    assert "并非处处变好。" in shown
    assert "| 语义（E5）" in shown


def test_one_measurement_has_nothing_to_be_compared_with(
    services: Services, admin: SignedIn
) -> None:
    store_run(home_of(services), measured_run(FIRST_TIME, measured_set("en", 0.8)))
    app = on_evaluation(admin)
    assert "There is nothing to compare with yet." in words_of(app)
    assert "| **reranked** | **0.800** | **0.780** | **0.760** |" in words_of(app)
    assert "This measurement did not ask it." in words_of(app)
    assert "nDCG@10, compared" not in app.dataframe[0].value


def test_the_newest_stands_beside_the_one_before_with_every_change(
    services: Services, admin: SignedIn
) -> None:
    store_two_runs(services)
    app = on_evaluation(admin)
    shown = words_of(app)
    assert "Measured on 2026-03-02 10:45:10 · questions: 60 in 3 sets" in shown
    assert "**Not everywhere better.** Against the measurement of 2026-03-01 09:30:05" in shown
    assert "do better: 1, worse: 1, the same: 0" in shown
    assert "**0.850** :green[:small[▲\u00a0+0.050]]" in shown
    assert "**0.880** :red[:small[▼\u00a0−0.020]]" in shown
    assert "| **reranked** | **0.500** | **0.480** | **0.460** |" in shown
    assert "Last order: reranked by tokens" in shown
    assert "median 40 ms (compared: 40 ms), 95 of 100 within 90 ms" in shown
    assert len(app.get("plotly_chart")) == 1


def test_the_answer_about_unanswered_questions_is_in_words(
    services: Services, admin: SignedIn
) -> None:
    store_two_runs(services)
    shown = words_of(on_evaluation(admin))
    assert "Of 40 questions that the documents answer, 90.0 % are taken for answered." in shown
    assert "Of 10 questions that nothing answers, 70.0 % are noticed." in shown
    assert "The mean of both shares is 80.0 %" in shown


def test_the_table_holds_the_numbers_of_the_chart(services: Services, admin: SignedIn) -> None:
    store_two_runs(services)
    table = on_evaluation(admin).dataframe[0].value
    assert list(table["questions"])[:4] == ["English questions"] * 4
    assert list(table["stage"])[:4] == ["words", "meaning (E5)", "fused order", "reranked"]
    assert list(table["nDCG@10"])[:4] == [0.55, 0.65, 0.75, 0.85]
    assert list(table["nDCG@10, compared"])[:4] == [0.5, 0.6, 0.7, 0.8]
    assert list(table["nDCG@10, change"])[3] == "▲\u00a0+0.050"


def test_another_pair_and_another_measure_can_be_chosen(
    services: Services, admin: SignedIn
) -> None:
    store_two_runs(services)
    app = on_evaluation(admin)
    app.get_by_key("evaluation_measure").set_value("mrr").run()
    assert not app.exception
    app.selectbox[0].set_value(1).run()
    assert not app.exception
    shown = words_of(app)
    assert "Measured on 2026-03-01 09:30:05" in shown
    assert "There is nothing to compare with yet." in shown
    app.selectbox[1].set_value(0).run()
    assert "**0.800** :red[:small[▼\u00a0−0.050]]" in words_of(app)


def test_a_set_with_other_questions_is_not_compared(services: Services, admin: SignedIn) -> None:
    store_run(home_of(services), measured_run(FIRST_TIME, measured_set("en", 0.8, questions=9)))
    store_run(home_of(services), measured_run(SECOND_TIME, measured_set("en", 0.9)))
    shown = words_of(on_evaluation(admin))
    assert "The compared measurement asked 9 questions of this set" in shown
    assert "asked different questions, so they cannot be compared" in shown
    assert "▲" not in shown


def test_a_file_that_is_no_run_is_passed_over(services: Services, admin: SignedIn) -> None:
    store_two_runs(services)
    (home_of(services) / RUNS / "20270101T000000.json").write_text("{}")
    assert "Measured on 2026-03-02" in words_of(on_evaluation(admin))
