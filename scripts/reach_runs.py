"""`make reach AREA=runs`: whether a discussion is ever lost, stuck or out of a person's hands."""

import sys
from pathlib import Path

PROJECT_ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(PROJECT_ROOT), str(PROJECT_ROOT / "scripts")]

import reach_runs_compaction  # noqa: E402 - the paths above come first
import reach_runs_crowd  # noqa: E402
import reach_runs_database  # noqa: E402
import reach_runs_guards  # noqa: E402
import reach_runs_kills  # noqa: E402
import reach_runs_models  # noqa: E402
import reach_runs_speed  # noqa: E402
from reach_lines import ReachLines  # noqa: E402


def main() -> None:
    """Measure everything, the quick things first."""
    lines = ReachLines("runs")
    reach_runs_guards.measure(lines)
    reach_runs_compaction.measure(lines)
    reach_runs_models.measure(lines)
    reach_runs_speed.measure(lines)
    reach_runs_crowd.measure(lines)
    reach_runs_kills.measure(lines)
    reach_runs_database.measure(lines)


if __name__ == "__main__":
    main()
