"""Tools of MCP servers: configuration, connection, risk, results."""
