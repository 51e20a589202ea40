"""What `doctor` reports: whether this installation can work, and with what."""

import platform
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from typing import Literal

from psycopg_pool import ConnectionPool

from meetmind.config.roster_names import AGENT_NAMES
from meetmind.config.settings import Settings
from meetmind.database.self_check import run_checks, server_versions
from meetmind.database.startup import open_database
from meetmind.errors import DatabaseError

PACKAGES = ("streamlit", "langchain", "langgraph", "sentence-transformers", "torch", "psycopg")
LITTLE_DISK_GB = 2.0

State = Literal["ok", "note", "problem"]


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One line of the report: a key of the text catalogue (`cli.doctor_<key>`) and its values."""

    key: str
    state: State = "ok"
    values: dict[str, str | int | float] = field(default_factory=dict)


def diagnose(settings: Settings) -> Iterator[Finding]:
    """Look at everything that a start needs, one finding after the other."""
    yield _python()
    yield _packages()
    yield _disk(settings)
    yield _model(settings)
    yield _seeds(settings)
    yield from _database(settings)


def _python() -> Finding:
    values: dict[str, str | int | float] = {
        "version": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
    }
    return Finding(key="python", values=values)


def _packages() -> Finding:
    installed = []
    missing = []
    for name in PACKAGES:
        try:
            installed.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            missing.append(name)
    if missing:
        return Finding(
            key="packages_missing", state="problem", values={"names": ", ".join(missing)}
        )
    return Finding(key="packages", values={"names": ", ".join(installed)})


def _disk(settings: Settings) -> Finding:
    folder = settings.meetmind_home
    while not folder.exists():
        folder = folder.parent
    free = round(shutil.disk_usage(folder).free / 1e9, 1)
    values: dict[str, str | int | float] = {"folder": str(settings.meetmind_home), "free": free}
    return Finding(key="disk", state="note" if free < LITTLE_DISK_GB else "ok", values=values)


def _model(settings: Settings) -> Finding:
    if settings.api_key is None:
        return Finding(key="model_offline", state="note")
    values: dict[str, str | int | float] = {
        "name": settings.model_name,
        "address": settings.base_url,
    }
    return Finding(key="model", values=values)


def _seeds(settings: Settings) -> Finding:
    """A role's documents lie in a folder of its own or in one JSON file."""
    folder = settings.seed_data_path
    counts = []
    for name in AGENT_NAMES:
        documents = [path for path in (folder / name).glob("*") if path.is_file()]
        if not documents and (folder / f"{name}_seeds.json").is_file():
            documents = [folder / f"{name}_seeds.json"]
        counts.append(f"{name} {len(documents)}")
    values: dict[str, str | int | float] = {"folder": str(folder), "counts": ", ".join(counts)}
    if not folder.is_dir():
        return Finding(key="seeds_missing", state="note", values=values)
    return Finding(key="seeds", values=values)


def _database(settings: Settings) -> Iterator[Finding]:
    try:
        database = open_database(settings)
    except DatabaseError as error:
        yield Finding(key="database_refused", state="problem", values={"sentence": str(error)})
        return
    try:
        where = "PG_URL"
        if database.embedded is not None:
            where = str(database.embedded.place)
        yield Finding(key="database", values={"where": where, **server_versions(database.pool)})
        yield from _checks(database.pool)
    finally:
        database.close()


def _checks(pool: ConnectionPool) -> Iterator[Finding]:
    for result in run_checks(pool):
        if result.problem:
            yield Finding(key="check", state="problem", values={"sentence": result.problem})
            return
    yield Finding(key="checks")
