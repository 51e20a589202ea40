"""`make reach AREA=tools`: whether the tools can be trusted with a click (about 35 minutes)."""

import sys
from pathlib import Path

PROJECT_ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(PROJECT_ROOT), str(PROJECT_ROOT / "scripts")]

import reach_tools_approvals  # noqa: E402 - the paths above come first
import reach_tools_injections  # noqa: E402
import reach_tools_mcp  # noqa: E402
import reach_tools_net  # noqa: E402
import reach_tools_paths  # noqa: E402
import reach_tools_races  # noqa: E402
import reach_tools_render  # noqa: E402
from reach_lines import ReachLines  # noqa: E402


def main() -> None:
    """Measure everything, the quick things first."""
    lines = ReachLines("tools")
    reach_tools_net.measure(lines)
    reach_tools_races.measure(lines)
    reach_tools_mcp.measure(lines)
    reach_tools_paths.measure(lines)
    reach_tools_approvals.measure(lines)
    reach_tools_render.measure(lines)
    reach_tools_injections.measure(lines)


if __name__ == "__main__":
    main()
