"""Folds what a person says, is asked and answers into the view of a run; pure functions only."""

from dataclasses import replace

from meetmind.events import LoggedEvent, PersonSpoke, QuestionAnswered, QuestionAsked
from meetmind.ui.run_view import Question, RunView, Said, Utterance
from meetmind.ui.view_changes import change_utterance


def after_words(view: RunView, logged: LoggedEvent, event: PersonSpoke) -> RunView:
    """Words that were told twice stand once."""
    for item in view.items:
        if isinstance(item, Said) and item.message_id == event.message_id:
            return view
    said = Said(
        message_id=event.message_id,
        at=logged.at,
        text=event.text,
        said_by=event.said_by,
        to_agent=event.to_agent,
    )
    return replace(view, items=(*view.items, said))


def after_question(view: RunView, logged: LoggedEvent, event: QuestionAsked) -> RunView:
    """The view with a question in its turn."""
    question = Question(
        call_id=event.call_id,
        agent_name=event.agent_name,
        question=event.question,
        asked_at=logged.at,
        choices=event.choices,
        why=event.why,
    )

    def with_question(utterance: Utterance) -> Utterance:
        known_ids = {known.call_id for known in utterance.questions}
        if event.call_id in known_ids:
            return utterance
        return replace(utterance, questions=(*utterance.questions, question))

    return change_utterance(view, event.utterance_id, with_question)


def after_answer(view: RunView, event: QuestionAnswered) -> RunView:
    """The view after a question was answered or left open."""

    def answered(question: Question) -> Question:
        if question.call_id != event.call_id:
            return question
        return replace(question, answer=event.answer, answered_by=event.answered_by)

    items = list(view.items)
    for position, item in enumerate(items):
        if isinstance(item, Utterance) and item.questions:
            questions = tuple(answered(question) for question in item.questions)
            items[position] = replace(item, questions=questions)
    still_waiting = tuple(call for call in view.waiting_for if call != event.call_id)
    return replace(view, items=tuple(items), waiting_for=still_waiting)
