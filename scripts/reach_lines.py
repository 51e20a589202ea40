"""Prints and keeps the lines of `make reach`: `REACH <name> <value> <target> ok|short`."""

from pathlib import Path

PROJECT_ROOT = Path(__file__).resolve().parents[1]


class ReachLines:
    """The lines of one area, printed as they come and kept in .meetmind/reach/<area>.txt."""

    def __init__(self, area: str) -> None:
        folder = PROJECT_ROOT / ".meetmind" / "reach"
        folder.mkdir(parents=True, exist_ok=True)
        self._file = folder / f"{area}.txt"
        self._lines: list[str] = []

    def at_most(self, name: str, value: float, target: float, places: int = 2) -> None:
        """A figure that should be small."""
        self._add(name, f"{value:.{places}f}", f"{target:g}", value <= target)

    def at_least(self, name: str, value: float, target: float, places: int = 3) -> None:
        """A figure that should be large."""
        self._add(name, f"{value:.{places}f}", f"{target:g}", value >= target)

    def all_of(self, name: str, passed: int, total: int) -> None:
        """So many of so many."""
        self._add(name, f"{passed}/{total}", f"{total}/{total}", passed == total > 0)

    def none_of(self, name: str, bad: int, total: int, *, bad_without_guard: int) -> None:
        """So many of so many went wrong, none should; without the guard some of them must."""
        self.note(f"{name}: {bad_without_guard} of the same cases go wrong with the guard off")
        is_ok = bad == 0 < total and bad_without_guard > 0
        self._add(name, f"{bad}/{total}", f"0/{total}", is_ok)

    def note(self, text: str) -> None:
        """A line that explains a figure."""
        print(f"# {text}", flush=True)

    def _add(self, name: str, value: str, target: str, is_ok: bool) -> None:
        line = f"REACH {name} {value} {target} {'ok' if is_ok else 'short'}"
        print(line, flush=True)
        self._lines.append(line)
        self._file.write_text("\n".join(self._lines) + "\n", encoding="utf-8")
