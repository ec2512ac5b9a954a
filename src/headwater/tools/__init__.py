"""The registry of tools that command line, agents and MCP share."""
