"""Converts an MCP server's tools for language models with the vendors' own libraries, and prints what came of each as one JSON document.

    host_sdks.py -- COMMAND ARG…   the server over stdio, with our environment

The answer is {LIBRARY: {TOOL: its converted parameters}}: Google's for Gemini, Anthropic's, and OpenAI's in strict mode, where every field is
required and none may be added. Exit code 0 means that no library refused a tool.
"""

import asyncio
import json
import os
import sys
from types import SimpleNamespace

from agents.strict_schema import ensure_strict_json_schema
from anthropic.lib.tools.mcp import mcp_tool
from google.genai._mcp_utils import mcp_to_gemini_tools
from mcp import Client, StdioServerParameters

TIMEOUT_SECONDS = 60


async def main() -> None:
    command = sys.argv[sys.argv.index("--") + 1 :]
    server = StdioServerParameters(command=command[0], args=command[1:], env=dict(os.environ))
    async with Client(server, read_timeout_seconds=TIMEOUT_SECONDS) as client:
        tools = (await client.list_tools()).tools
    json.dump({"google": google(tools), "anthropic": anthropic(tools), "openai_strict": openai_strict(tools)}, sys.stdout)
    print()


def google(tools: list) -> dict:
    converted = mcp_to_gemini_tools(tools)
    functions = [function for tool in converted for function in tool.function_declarations]
    return {function.name: function.parameters.model_dump(mode="json", exclude_none=True) for function in functions}


def anthropic(tools: list) -> dict:
    # The client is only kept for calls, and none is made here.
    return {tool.name: mcp_tool(tool, SimpleNamespace()).to_dict()["input_schema"] for tool in tools}


def openai_strict(tools: list) -> dict:
    return {tool.name: ensure_strict_json_schema(json.loads(json.dumps(schema(tool)))) for tool in tools}


def schema(tool) -> dict:
    return tool.model_dump(by_alias=True, mode="json")["inputSchema"]


asyncio.run(main())
