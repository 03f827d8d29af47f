"""An MCP server over stdio whose tools draw: a picture of two pixels, given as data or as a resource, or not at all; or the picture
in the file that PICTURE names."""

import base64
import json
import os
import struct
import sys
import zlib

ARGUMENTS = {
    "type": "object",
    "properties": {
        "prompt": {"type": "string"},
        "width": {"type": "integer"},
        "height": {"type": "integer"},
        "character_reference_id": {"type": "string"},
    },
    "required": ["prompt", "width", "height", "character_reference_id"],
}
TOOLS = ["draw_as_data", "draw_as_resource", "draw_from_file", "draw_nothing"]


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def picture() -> str:
    header = struct.pack(">IIBBBBB", 2, 1, 8, 2, 0, 0, 0)
    pixels = zlib.compress(b"\0\xff\0\0\0\0\xff")
    file = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")
    return base64.b64encode(file).decode()


def called(name: str, arguments: dict) -> dict:
    asked = (arguments["width"], arguments["height"], arguments["character_reference_id"])
    if not arguments["prompt"] or asked != (1600, 900, "selam"):
        return failed(f"unexpected: {arguments}")
    if name == "draw_nothing":
        return failed("out of paint")
    if name == "draw_from_file":
        with open(os.environ["PICTURE"], "rb") as file:
            return drawn("data:image/png;base64," + base64.b64encode(file.read()).decode())
    uri = "studio://pictures/1" if name == "draw_as_resource" else "data:image/png;base64," + picture()
    return drawn(uri)


def drawn(uri: str) -> dict:
    answer = {"media_uri": uri}
    return {"content": [{"type": "text", "text": json.dumps(answer)}], "structuredContent": answer}


def failed(problem: str) -> dict:
    return {"content": [{"type": "text", "text": problem}], "isError": True}


def answer(method: str, params: dict) -> dict | None:
    match method:
        case "initialize":
            info = {"name": "studio", "version": "1"}
            return {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}, "resources": {}}, "serverInfo": info}
        case "ping":
            return {}
        case "tools/list":
            return {"tools": [{"name": name, "inputSchema": ARGUMENTS} for name in TOOLS]}
        case "tools/call" if params["name"] in TOOLS:
            return called(params["name"], params["arguments"])
        case "resources/list":
            return {"resources": [{"uri": "studio://pictures/1", "name": "picture", "mimeType": "image/png"}]}
        case "resources/templates/list":
            return {"resourceTemplates": []}
        case "resources/read" if params["uri"] == "studio://pictures/1":
            return {"contents": [{"uri": params["uri"], "mimeType": "image/png", "blob": picture()}]}
    return None


for line in sys.stdin:
    request = json.loads(line)
    if "id" not in request:
        continue
    result = answer(request["method"], request.get("params", {}))
    said = {"result": result} if result is not None else {"error": {"code": -32601, "message": f"no {request.get('params', {}).get('name', request['method'])}"}}
    print(json.dumps({"jsonrpc": "2.0", "id": request["id"]} | said), flush=True)
