"""`make reach AREA=tools`, files: nothing leads out of the workspace and no pattern hangs."""

import asyncio
import contextlib
import ctypes
import itertools
import json
import multiprocessing
import os
import random
import shutil
import socket
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from multiprocessing.sharedctypes import Synchronized
from pathlib import Path
from typing import Any

PROJECT_ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(PROJECT_ROOT), str(PROJECT_ROOT / "scripts")]

from reach_lines import ReachLines  # noqa: E402 - the paths above come first

from meetmind.errors import ToolError  # noqa: E402
from meetmind.tools.edit_tool import edit_tool  # noqa: E402
from meetmind.tools.glob_tool import glob_tool  # noqa: E402
from meetmind.tools.grep_tool import grep_tool  # noqa: E402
from meetmind.tools.list_dir_tool import list_dir_tool  # noqa: E402
from meetmind.tools.read_tool import read_tool  # noqa: E402
from meetmind.tools.write_tool import write_tool  # noqa: E402
from tests.support.file_bench import config_for  # noqa: E402

CANARY = "canary-4c1d9e"
SECRET = "secret-77ab02"
INNER_NAME = "inner-e05c3b.txt"
MOST_PATHS = 6_000
SWAPS = 100_000
ROUNDS_DURING_SWAPS = 60
NAIVE_TRIES = 200_000

DOTS = ["..", "...", ".. ", "..\t", "..\x00", "%2e%2e", "%252e%252e", "．．", "‥", ". .", "..;"]
DOTS += ["..\u200b", "\u202e..", "..\u00ad", ".\u2024", "@..", "..::$DATA", "\u2026"]
SEPARATORS = ["/", "\\", "//", "/./", "%2f", "%5c", "／", "∕", "⧸", "%c0%af", "\\/", "/\x00/"]
BEGINNINGS = ["", "./", "notes/", "notes/../notes/", "@docs/", "@docs/a/", "~/", "/", "file:///"]
TARGETS = ["outside/canary.txt", "outside", "outside/new.txt", "etc/passwd"]
SECRETS = [".env", ".env.local", ".git/config", ".streamlit/secrets.toml", "server.pem", "id_rsa"]
HONEST = ["a.md", "notes/b.txt", "./c.md", "总结/决定.md", "deep/er/and/deeper/d.md", "e f.md"]
HONEST += [
    "总结：甲／乙.md",
    "résumé.md",
    "v1.2-final.txt",
    "(draft) plan.md",
    "100%.md",
    "x..y.md",
]
HONEST += [
    "环境.env说明.md",
    "key.md",
    "..notes.md",
    "a;b.md",
    "c&d.md",
    "$HOME.md",
    "%2e.md",
    "🙂.md",
]


@dataclass(frozen=True, kw_only=True)
class Ground:
    """A workspace with traps in it, and what lies outside and must stay as it is."""

    workspace: Path
    outside: Path
    shared: Path

    def outside_state(self) -> tuple[tuple[str, int, int], ...]:
        """Names, sizes and times of everything outside."""
        state: list[tuple[str, int, int]] = []
        for entry in os.scandir(self.outside):
            facts = entry.stat()
            state.append((entry.name, facts.st_size, facts.st_mtime_ns))
        return tuple(sorted(state))

    @property
    def config(self) -> dict[str, Any]:
        """What a tool call is handed."""
        return config_for(self.workspace, {"docs": self.shared})


@contextlib.contextmanager
def laid_ground() -> Iterator[Ground]:
    """The folders of one trial, taken away afterwards."""
    home = Path(tempfile.mkdtemp(prefix="paths-"))
    ground = Ground(workspace=home / "workspace", outside=home / "outside", shared=home / "docs")
    for folder in (ground.workspace / "notes", ground.outside, ground.shared / "a"):
        folder.mkdir(parents=True)
    (ground.outside / "canary.txt").write_text(f"old {CANARY}\n")
    (ground.outside / INNER_NAME).write_text(f"{CANARY}\n")
    (ground.workspace / "notes" / "canary.txt").write_text("old and inside\n")
    (ground.shared / "a" / "rules.md").write_text("old rules\n")
    try:
        yield ground
    finally:
        shutil.rmtree(home)


def set_traps(ground: Ground) -> list[str]:
    """Links, devices and secrets in the workspace; returns paths that lead through them."""
    space, canary = ground.workspace, ground.outside / "canary.txt"
    for root in (space, ground.shared):
        (root / "link.txt").symlink_to(canary)
        (root / "door").symlink_to(ground.outside)
        (root / "relative").symlink_to("../outside")
        (root / "chain").symlink_to("door")
        (root / "process").symlink_to("/proc/self")
        (root / "dangling.txt").symlink_to(ground.outside / "made.txt")
        os.link(canary, root / "hard.txt")
        os.mkfifo(root / "pipe")
        with contextlib.suppress(PermissionError):
            os.mknod(root / "zero", 0o666 | 0o020000, os.makedev(1, 5))
            os.mknod(root / "disk", 0o666 | 0o060000, os.makedev(7, 0))
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(os.path.relpath(root / "socket"))
    for name in SECRETS:
        file = space / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"old {SECRET}\n")
    below = ["door", "relative", "chain"]
    through = [f"{name}/{end}" for name in below for end in ("canary.txt", "", "new.txt", ".")]
    through += ["link.txt", "dangling.txt", "hard.txt", "pipe", "zero", "disk", "socket", *below]
    through += ["process/environ", "process/cwd", "process/root/etc/passwd", "process/fd/0"]
    return [prefix + path for path in through for prefix in ("", "./", "notes/../", "@docs/")]


def bad_paths(ground: Ground, traps: list[str]) -> list[str]:
    """All families, thinned out to `MOST_PATHS`, always the same ones."""
    climbing: list[str] = []
    for dots, separator, beginning, target in itertools.product(
        DOTS, SEPARATORS, BEGINNINGS, TARGETS
    ):
        for depth in (1, 2, 9):
            way = separator.join([dots] * depth)
            climbing.append(beginning + way + separator + target.replace("/", separator))
    fixed = [*traps, *_absolute(ground), *_secret_spellings(), *_overlong()]
    chosen = random.Random(4).sample(climbing, MOST_PATHS - len(fixed))
    plain = [
        f"{begin}{'../' * depth}{target}"
        for begin in BEGINNINGS
        for target in TARGETS
        for depth in range(1, 8)
    ]
    return list(dict.fromkeys([*fixed, *plain, *chosen]))


def _absolute(ground: Ground) -> list[str]:
    """Absolute paths, and ways through /proc and /dev."""
    canary, outside = str(ground.outside / "canary.txt"), str(ground.outside)
    ways = ["", "/proc/self/root", f"/proc/{os.getpid()}/root", "/proc/self/cwd/../../..", "//"]
    paths = [way + target for way in ways for target in (canary, outside, "/etc/passwd")]
    paths += ["/proc/self/environ", "/proc/self/fd/0", "/dev/stdin", "/dev/zero", "/dev/fd/1"]
    paths += [f"file://{canary}", f"\\\\?\\{canary}", f"C:{canary}", f"~root{canary}", "~/.ssh"]
    return [begin + path for path in paths for begin in ("", "./", "notes/", "@docs/", " ")]


def _secret_spellings() -> list[str]:
    wide = str.maketrans(
        {chr(code): chr(code + 0xFEE0) for code in range(0x21, 0x7F) if code != 47}
    )
    paths: list[str] = []
    for name in SECRETS:
        spellings = [name, name.upper(), name.title(), name.translate(wide), name + ".", name + " "]
        spellings += [
            name + "::$DATA",
            name + "\u200b",
            name + "\ufe0f",
            name + "\x00.md",
            name + "/",
        ]
        paths += [begin + each for each in spellings for begin in ("", "./", "notes/../", "././")]
    return paths


def _overlong() -> list[str]:
    lengths = (201, 255, 256, 395)
    paths = ["a" * length for length in lengths] + ["汉" * length for length in (67, 86, 300)]
    paths += ["/".join(["a"] * depth) for depth in (13, 40, 190)]
    return [begin + path for path in paths for begin in ("", "../", "notes/", "door/")]


def calls_for(path: str) -> list[tuple[Any, dict[str, Any]]]:
    """The six tools, pointed at one path."""
    edit = {"path": path, "old_string": "old", "new_string": "new"}
    return [
        (read_tool, {"path": path}),
        (list_dir_tool, {"path": path}),
        (glob_tool, {"pattern": "**", "path": path}),
        (glob_tool, {"pattern": path[:300]}),
        (grep_tool, {"pattern": "c.n.r|s.cr.t|root:|PATH=", "path": path}),
        (edit_tool, edit),
        (write_tool, {"path": path, "content": "written by the trial\n"}),
    ]


async def has_escaped(ground: Ground, tool: Any, arguments: dict[str, Any]) -> bool:
    """Whether one call read, showed or changed something outside, or read a secret."""
    before = ground.outside_state()
    try:
        answer = await tool.ainvoke(arguments, ground.config)
    except (ToolError, ValueError):
        # Refused, by the tool or by the bounds of its arguments.
        answer = ""
    return shows_foreign(answer) or ground.outside_state() != before


def shows_foreign(answer: str) -> bool:
    """Whether an envelope holds a text or a name from outside."""
    if not answer:
        return False
    envelope = json.loads(answer)
    seen = json.dumps([envelope.get("data"), envelope.get("evidence")], ensure_ascii=False)
    return any(sign in seen for sign in (CANARY, SECRET, INNER_NAME, "root:x:0", "PATH=/"))


def naive_escapes(ground: Ground, path: str) -> bool:
    """Whether the same path leads out (or to a secret) where nothing guards it."""
    place = os.path.join(ground.workspace, path)
    try:
        if os.path.isdir(place):
            return INNER_NAME in os.listdir(place)
        handle = os.open(place, os.O_RDONLY | os.O_NONBLOCK)
    except (OSError, ValueError):
        return False
    try:
        content = os.read(handle, 4000).decode("utf-8", "replace")
    except OSError:
        content = ""
    finally:
        os.close(handle)
    return any(sign in content for sign in (CANARY, SECRET, "root:x:0"))


def remove_all_but(workspace: Path, names: set[str]) -> None:
    """Take away what the trial itself has written into the workspace."""
    for entry in list(os.scandir(workspace)):
        if entry.name in names:
            continue
        if entry.is_dir(follow_symlinks=False):
            shutil.rmtree(entry.path)
        else:
            os.unlink(entry.path)


async def measure_escapes(lines: ReachLines) -> None:
    """Every family of paths on every tool, and the same without a guard."""
    with laid_ground() as ground:
        traps = set_traps(ground)
        laid_names = set(os.listdir(ground.workspace))
        paths = bad_paths(ground, traps)
        without_guard = sum(1 for path in paths if naive_escapes(ground, path))
        escaped: list[str] = []
        call_count = 0
        for path in paths:
            for tool, arguments in calls_for(path):
                call_count += 1
                if await has_escaped(ground, tool, arguments):
                    escaped.append(f"{tool.name} {path!r}")
            remove_all_but(ground.workspace, laid_names)
        lines.note(f"path_escapes: {call_count} calls of six tools")
    for case in escaped[:10]:
        lines.note(f"escaped: {case}")
    lines.none_of("path_escapes", len(escaped), len(paths), bad_without_guard=without_guard)


async def measure_honest(lines: ReachLines) -> None:
    """Paths as people write them pass every tool."""
    passed = 0
    with laid_ground() as ground:
        for path in HONEST:
            passed += await _is_taken(ground, path)
    lines.all_of("path_honest", passed, len(HONEST))


async def _is_taken(ground: Ground, path: str) -> bool:
    folder = str(Path(path).parent)
    calls: list[tuple[Any, dict[str, Any]]] = [
        (write_tool, {"path": path, "content": "old words\n"}),
        (edit_tool, {"path": path, "old_string": "old", "new_string": "new"}),
        (read_tool, {"path": path}),
        (list_dir_tool, {"path": folder}),
        (glob_tool, {"pattern": "*", "path": folder}),
        (grep_tool, {"pattern": "^new words$", "path": path}),
    ]
    answers: list[str] = []
    for tool, arguments in calls:
        try:
            answers.append(await tool.ainvoke(arguments, ground.config))
        except ToolError as error:
            print(f"# honest path refused: {tool.name} {path!r}: {error}")
            return False
    name = json.dumps(Path(path).name, ensure_ascii=False).strip('"')
    return all(name in answer for answer in answers) and "new words" in answers[2]


def swap_for_ever(
    folder: str, pairs: list[tuple[str, str]], swap_count: "Synchronized[int]", stop: Any
) -> None:
    """Exchange a plain folder or file with a link again and again (in a process of its own)."""
    library = ctypes.CDLL(None, use_errno=True)
    exchange = 2
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    encoded = [(one.encode(), other.encode()) for one, other in pairs]
    parent = os.getppid()
    while not stop.is_set() and os.getppid() == parent:
        for _ in range(50):
            for one, other in encoded:
                if library.renameat2(handle, one, handle, other, exchange):
                    raise OSError(ctypes.get_errno(), "renameat2")
        with swap_count.get_lock():
            swap_count.value += 50 * len(encoded)


@contextlib.contextmanager
def swapping(ground: Ground) -> Iterator[Callable[[], int]]:
    """A process that swaps while the block runs; yields how often it has swapped so far."""
    space = ground.workspace
    (space / "door").symlink_to(ground.outside)
    (space / "plain.txt").write_text("old and inside\n")
    (space / "link.txt").symlink_to(ground.outside / "canary.txt")
    pairs = [("notes", "door"), ("plain.txt", "link.txt")]
    context = multiprocessing.get_context("spawn")
    swap_count: Any = context.Value("q", 0)
    stop = context.Event()
    swapper = context.Process(target=swap_for_ever, args=(str(space), pairs, swap_count, stop))
    swapper.start()
    try:
        while swap_count.value == 0:
            assert swapper.is_alive(), "the swapping process ended"
            time.sleep(0.01)
        yield lambda: swap_count.value
    finally:
        stop.set()
        swapper.join()


def renew_links(ground: Ground) -> None:
    """A Write that meets the link puts the new file in its place; then there is a link again."""
    names = ("plain.txt", "link.txt")
    if not any((ground.workspace / name).is_symlink() for name in names):
        fresh = ground.workspace / "fresh"
        fresh.symlink_to(ground.outside / "canary.txt")
        fresh.rename(ground.workspace / "link.txt")


async def measure_swaps(lines: ReachLines) -> None:
    """The six tools while folders and files turn into links and back."""
    escaped = 0
    call_count = 0
    with laid_ground() as ground, swapping(ground) as swaps:
        rounds = 0
        began_at = swaps()
        while swaps() - began_at < SWAPS or rounds < ROUNDS_DURING_SWAPS:
            for path in ("notes/canary.txt", "notes", "notes/new.txt", "plain.txt", "door"):
                for tool, arguments in calls_for(path):
                    call_count += 1
                    escaped += await has_escaped(ground, tool, arguments)
            rounds += 1
            renew_links(ground)
        swapped = swaps() - began_at
        naive = _naive_race(ground)
    lines.note(f"path_swap_escapes: {call_count} calls during {swapped} swaps")
    lines.none_of("path_swap_escapes", escaped, swapped, bad_without_guard=naive)


def _naive_race(ground: Ground) -> int:
    """How often looking first and opening then leads out in the same race."""
    escapes = 0
    root = ground.workspace.resolve()
    for _ in range(NAIVE_TRIES):
        place = root / "notes" / "canary.txt"
        with contextlib.suppress(OSError):
            if place.resolve().is_relative_to(root) and CANARY in place.read_text():
                escapes += 1
                if escapes == 20:
                    break
    return escapes


GREP_WORST = [
    "(a+)+$",
    "(a|aa)+$",
    "(a*)*b",
    "(.*a){25}$",
    "(?:a?){500}a{500}b",
    "([a-z]+)*\\d",
    "(\\w+\\s?)*!!$",
    "^(([a-z])+.)+[A-Z]([a-z])+$",
    "((a{1,1000}){1,1000}){1,1000}b",
    "(?:(?:(?:a{0,999}){0,999}){0,999}){0,999}x",
    "(" * 250,
    "[" * 500,
    "a|" * 249 + "a",
    "(a)(?=.*\\1.*\\1.*\\1.*b)",
    "(?<=a.*a.*a.*)b",
    "(?e)(?:aaaaaaaaab){e<=9}c",
    ".*.*.*.*.*=.*",
    "(?i)(ſ|s|S)+$",
    "\\p{L}*\\p{L}*\\p{L}*\\p{L}*9",
    "(?r)(a+)+b",
]
GLOB_WORST = [
    "**/" * 23 + "x",
    "**/*a*/" * 11 + "x",
    "*a" * 149,
    "a*" * 149 + "b",
    "{a,b}{a,b}{a,b}{a,b}{a,b}*",
    "{" * 300,
    "[" * 300,
    "**/*a*a*a*a*a*a*a*a*a*a*b",
    "?" * 200 + "*",
    "[!b]*" * 59,
    "**/**/**/**",
    "{" + "," * 298 + "}",
    "**/{*a,*b,*c,*d}{*a,*b}{*c,*d}/**/*",
]


def lay_worst_files(workspace: Path) -> None:
    """Long lines that nearly match, deep folders, many names that nearly match."""
    (workspace / "long.txt").write_text(("a" * 900_000) + "!\n")
    (workspace / "words.txt").write_text("aaaa bbbb cccc " * 60_000 + "\n")
    (workspace / "lines.txt").write_text(("a" * 60 + "\n") * 15_000)
    for number in range(5):
        (workspace / f"big-{number}.txt").write_text("Refund of the order, 退款。\n" * 30_000)
    deep = workspace
    for _ in range(10):
        deep = deep / ("a" * 40)
        deep.mkdir()
        for number in range(300):
            (deep / ("a" * 150 + str(number))).touch()


async def measure_patterns(lines: ReachLines) -> None:
    """The worst patterns, while a page of the same process is asked again and again."""
    slowest, slowest_case = 0.0, ""
    calls: list[tuple[Any, dict[str, Any]]] = []
    calls += [(grep_tool, {"pattern": pattern}) for pattern in GREP_WORST]
    calls += [(glob_tool, {"pattern": pattern[:300]}) for pattern in GLOB_WORST]
    calls += [(grep_tool, {"pattern": "z", "files": pattern[:300]}) for pattern in GLOB_WORST]
    with laid_ground() as ground:
        lay_worst_files(ground.workspace)
        async with asked_page() as answer_seconds:
            for tool, arguments in calls:
                began = time.monotonic()
                with contextlib.suppress(ToolError):
                    await tool.ainvoke(arguments, ground.config)
                seconds = time.monotonic() - began
                if seconds > slowest:
                    slowest, slowest_case = seconds, f"{tool.name} {str(arguments)[:80]}"
    lines.note(f"worst_pattern_s: {len(calls)} patterns, slowest: {slowest_case}")
    lines.note(f"worst_pattern_page_s: {len(answer_seconds)} answers meanwhile")
    lines.at_most("worst_pattern_s", slowest, 2)
    lines.at_most("worst_pattern_page_s", max(answer_seconds), 1)


@contextlib.asynccontextmanager
async def asked_page() -> AsyncIterator[list[float]]:
    """A page served by this very event loop and asked on and on; yields the seconds it took."""
    answer_seconds: list[float] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")
        await writer.drain()
        writer.close()

    async def ask(port: int) -> None:
        while True:
            began = time.monotonic()
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            await reader.read()
            writer.close()
            answer_seconds.append(time.monotonic() - began)
            await asyncio.sleep(0.02)

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    asking = asyncio.create_task(ask(server.sockets[0].getsockname()[1]))
    try:
        yield answer_seconds
    finally:
        asking.cancel()
        server.close()


async def measure_all(lines: ReachLines) -> None:
    await measure_honest(lines)
    await measure_patterns(lines)
    await measure_swaps(lines)
    await measure_escapes(lines)


def measure(lines: ReachLines) -> None:
    """Measure everything of this part and print the lines."""
    asyncio.run(measure_all(lines))


if __name__ == "__main__":
    measure(ReachLines("tools-paths"))
