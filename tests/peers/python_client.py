"""Uses an MCP server through the official Python client library, and prints what came back as one JSON document.

    python_client.py --calls CALLS.json [--mode MODE] --url URL         the bearer token, if any, in CHIMERA_TOKEN
    python_client.py --calls CALLS.json [--mode MODE] -- COMMAND ARG…   the server over stdio, with our environment

CALLS.json holds [{"tool": NAME, "arguments": {…}}, …]. MODE is "legacy" (the initialize handshake), a protocol
version such as 2026-07-28, or "auto" (the default: the newest that both sides speak). Exit code 0 means that every
request was answered and that the library accepted the answer: it checks `structuredContent` against `outputSchema`.
"""

import argparse
import asyncio
import json
import os
import sys
from contextlib import AsyncExitStack

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

TIMEOUT_SECONDS = 60


async def main() -> None:
    arguments = parse_arguments()
    with open(arguments.calls, encoding="utf-8") as file:
        calls = json.load(file)

    async with AsyncExitStack() as stack:
        server = await open_server(arguments, stack)
        client = Client(server, mode=arguments.mode, read_timeout_seconds=TIMEOUT_SECONDS)
        await stack.enter_async_context(client)
        report = await use(client, calls)

    json.dump(report, sys.stdout, indent=2, ensure_ascii=False)
    print()


async def use(client: Client, calls: list[dict]) -> dict:
    tools = await client.list_tools()
    capabilities = client.server_capabilities
    resources = (await client.list_resources()).resources if capabilities.resources else []
    templates = (await client.list_resource_templates()).resource_templates if capabilities.resources else []
    prompts = (await client.list_prompts()).prompts if capabilities.prompts else []
    return {
        "protocol_version": client.protocol_version,
        "server": wire(client.server_info) if client.server_info else None,
        "instructions": client.instructions,
        "tools": [wire(tool) for tool in tools.tools],
        "resources": [wire(resource) for resource in resources],
        "resource_templates": [wire(template) for template in templates],
        "prompts": [wire(prompt) for prompt in prompts],
        "results": [await call(client, one["tool"], one["arguments"]) for one in calls],
    }


async def call(client: Client, tool: str, arguments: dict) -> dict:
    progress = []

    async def on_progress(done: float, total: float | None, message: str | None) -> None:
        progress.append({"progress": done, "total": total, "message": message})

    result = await client.call_tool(tool, arguments, progress_callback=on_progress)
    return {"tool": tool, "result": wire(result), "progress": progress}


async def open_server(arguments: argparse.Namespace, stack: AsyncExitStack):
    if not arguments.url:
        command, *rest = arguments.command
        return StdioServerParameters(command=command, args=rest, env=dict(os.environ))
    token = os.environ.get("CHIMERA_TOKEN")
    headers = {"Authorization": f"Bearer {token}"} if token else None
    http_client = await stack.enter_async_context(httpx2.AsyncClient(headers=headers, timeout=TIMEOUT_SECONDS))
    return streamable_http_client(arguments.url, http_client=http_client)


def wire(model) -> dict:
    """The model as it was on the wire: the names of the protocol, nothing that was absent."""
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", required=True)
    parser.add_argument("--mode", default="auto")
    parser.add_argument("--url")
    parser.add_argument("command", nargs="*")
    arguments = parser.parse_args()
    if bool(arguments.url) == bool(arguments.command):
        parser.error("give either --url URL or -- COMMAND")
    return arguments


asyncio.run(main())
