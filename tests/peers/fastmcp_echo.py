"""A FastMCP server with one tool that gives back its argument: what our server is measured against.

    fastmcp_echo.py PORT    serves http://127.0.0.1:PORT/mcp, stateless and with plain JSON answers, its fastest mode
"""

import json
import sys

from fastmcp import FastMCP

server = FastMCP("echo")


@server.tool
def echo(message: dict) -> str:
    return json.dumps(message)


server.run(
    transport="http",
    host="127.0.0.1",
    port=int(sys.argv[1]),
    stateless_http=True,
    json_response=True,
    show_banner=False,
    log_level="warning",
    uvicorn_config={"access_log": False},
)
