"""Where installed packages keep the files that they carry."""

from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from meetmind.errors import EmbeddingUnavailable


def package_folder(module_name: str) -> Path:
    """The folder of an installed package, which is not imported.

    Raises `EmbeddingUnavailable` when it is not installed.
    """
    spec = find_spec(module_name)
    if spec is None or not spec.submodule_search_locations:
        raise EmbeddingUnavailable(f"the package {module_name} is not installed here")
    return Path(spec.submodule_search_locations[0])


def package_version(distribution: str) -> str:
    """The installed version, or an empty text."""
    try:
        return version(distribution)
    except PackageNotFoundError:
        return ""
