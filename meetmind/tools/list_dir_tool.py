"""`list_dir`: what lies in a folder of the workspace."""

import asyncio
from typing import Annotated

from langchain_core.runnables import RunnableConfig
from langchain_core.tools import tool
from pydantic import BaseModel, ConfigDict, Field

from meetmind.tools.envelope import Envelope
from meetmind.tools.files.folder_listing import Listing, list_folder
from meetmind.tools.path_auth import Place, open_folder, place_of
from meetmind.tools.workbench import current_workbench

MOST_ENTRIES = 300
EMPTY = Listing(entries=(), hidden_count=0, is_cut=False)


class ListDirArguments(BaseModel):
    """Arguments of `list_dir`."""

    model_config = ConfigDict(extra="ignore")

    path: Annotated[str, Field(min_length=1, max_length=400)] = Field(
        default=".", description="Folder, such as notes or @name; . is the workspace itself."
    )


@tool("list_dir", args_schema=ListDirArguments)
async def list_dir_tool(config: RunnableConfig, path: str = ".") -> str:
    """List a folder of the workspace, or of the read-only folders whose names begin with @."""
    workbench = current_workbench(config)
    place = place_of(path, workbench.workspace, workbench.read_folders)
    listing = await asyncio.to_thread(_list, place)
    entries = [_shown(entry.name, entry.is_folder, entry.size) for entry in listing.entries]
    listed: dict[str, object] = {
        "entries": entries[:MOST_ENTRIES],
        "count": len(entries),
        "cut": listing.is_cut or len(entries) > MOST_ENTRIES,
    }
    if place.path == "." and workbench.read_folders:
        listed["read_only_folders"] = [f"@{name}" for name in sorted(workbench.read_folders)]
    envelope = Envelope(
        tool="list_dir",
        status="ok",
        request={"path": path},
        data=listed,
        diagnostics={
            "summary": f"{place.path} ({len(entries)})",
            "hidden": listing.hidden_count,
        },
    )
    return envelope.to_json()


list_dir_tool.metadata = {"risk": "low"}


def _list(place: Place) -> Listing:
    if not place.parts and not place.root.exists():
        # A workspace into which nothing was written yet.
        return EMPTY
    with open_folder(place.root, place.parts, create=False) as folder:
        return list_folder(folder, is_root=not place.parts)


def _shown(name: str, is_folder: bool, size: int) -> dict[str, object]:
    if is_folder:
        return {"name": f"{name}/"}
    return {"name": name, "bytes": size}
