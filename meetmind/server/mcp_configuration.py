"""Which MCP servers are set up: those of `mcp.json`, and the web search of the settings."""

import logging
from collections.abc import Mapping

from meetmind.config.settings import Settings
from meetmind.tools.mcp.config import (
    SEARCH_SERVER,
    ConfigFault,
    McpConfig,
    read_mcp_config,
    search_server,
)

logger = logging.getLogger(__name__)


def configured_servers(settings: Settings, environ: Mapping[str, str]) -> McpConfig:
    """The servers of the file and the web search, which needs a key and an https address."""
    path = settings.mcp_config_path
    config = read_mcp_config(path, environ)
    for fault in config.faults:
        name = fault.server or path.name
        logger.warning("MCP configuration, %s: %s %s", name, fault.reason, fault.what)
    key = settings.baidu_search_api_key
    if key is None:
        logger.info("The web search is off: BAIDU_SEARCH_API_KEY is not set.")
        return config
    try:
        search = search_server(settings.baidu_search_mcp_url, key.get_secret_value())
    except ValueError as error:
        logger.warning("The web search is off: %s", error)
        fault = ConfigFault(server=SEARCH_SERVER, reason="search_address")
        return McpConfig(servers=config.servers, faults=(*config.faults, fault))
    return McpConfig(servers=(*config.servers, search), faults=config.faults)
