"""`make reach AREA=intent`: how often a message is taken for what it is."""

import sys
import time
from pathlib import Path

PROJECT_ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(PROJECT_ROOT), str(PROJECT_ROOT / "scripts")]

from reach_lines import ReachLines  # noqa: E402 - the paths above come first

from meetmind.evaluation.intent_accuracy import (  # noqa: E402
    accuracy_by_label,
    installed_classifier,
    intent_accuracy,
)
from meetmind.knowledge.intent_examples import EXAMPLE_LANGUAGES  # noqa: E402

ONE_QUESTION = "Which carrier delivers on Sundays?"


def main() -> None:
    """Measure accuracy and time, and print the line of the worse language."""
    lines = ReachLines("intent")
    classifier = installed_classifier()
    for which in ("first", "second"):
        started = time.perf_counter()
        intent = classifier.classify(ONE_QUESTION)
        seconds = time.perf_counter() - started
        lines.note(f"{which} message: {seconds:.3f} s, answered by {intent.rung}")
    for language in EXAMPLE_LANGUAGES:
        lines.note(f"{language} by label: {accuracy_by_label(language, classifier.classify)}")
    accuracy_by_language = intent_accuracy(classifier.classify)
    lines.note(f"by language: {accuracy_by_language}")
    lines.at_least("intent_accuracy", min(accuracy_by_language.values()), 0.90)


if __name__ == "__main__":
    main()
