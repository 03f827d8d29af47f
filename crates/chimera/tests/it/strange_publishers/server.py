"""A publishing server as others write them: one tool, its own arguments, its own answers, no idempotency.

Run as: server.py MANNER ARRIVALS. Each text that arrives is a line of JSON in ARRIVALS, on disk before anything is answered.
"""

import json
import os
import sys
import time

MANNER, ARRIVALS = sys.argv[1], sys.argv[2]

TEXT = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
SCHEMAS = {
    "takes-content": {"type": "object", "properties": {"content": {"type": "string"}}, "required": ["content"]},
    "wants-a-token": {
        "type": "object",
        "properties": {"text": {"type": "string"}, "access_token": {"type": "string"}},
        "required": ["text", "access_token"],
    },
    "strict": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"], "additionalProperties": False},
}


def say(message):
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def arrived(arguments):
    with open(ARRIVALS, "a", encoding="utf-8") as arrivals:
        arrivals.write(json.dumps(arguments) + "\n")
        arrivals.flush()
        os.fsync(arrivals.fileno())


def publish(arguments):
    """The tool's result, or None where nothing is answered."""
    if MANNER == "strict" and set(arguments) != {"text"}:
        return {"content": [{"type": "text", "text": "unexpected arguments"}], "isError": True}
    arrived(arguments)
    if MANNER == "other-json":
        return {"content": [{"type": "text", "text": json.dumps({"ok": True, "id": 17})}]}
    if MANNER == "structured":
        return {"content": [], "structuredContent": {"result": {"uri": "at://17"}}}
    if MANNER == "empty":
        return {"content": []}
    if MANNER == "picture":
        return {"content": [{"type": "image", "data": "aGVsbG8=", "mimeType": "image/png"}]}
    if MANNER == "huge":
        return {"content": [{"type": "text", "text": "done " * 1_000_000}]}
    if MANNER == "fails":
        return {"content": [{"type": "text", "text": "refused: the connection was reset"}], "isError": True}
    if MANNER == "slow":
        time.sleep(1)
    if MANNER == "dies":
        os._exit(1)
    if MANNER == "hangs":
        return None
    return {"content": [{"type": "text", "text": "Your post is live! \U0001f389 Check your profile to see it."}]}


def answer(request):
    method, params = request["method"], request.get("params") or {}
    if method == "initialize":
        return {
            "protocolVersion": params.get("protocolVersion", "2025-06-18"),
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "somebody-elses", "version": "0.3.1"},
        }
    if method == "tools/list":
        tool = {"name": "create_post", "description": "Create a post", "inputSchema": SCHEMAS.get(MANNER, TEXT)}
        return {"tools": [tool]}
    if method == "tools/call":
        return publish(params.get("arguments") or {})
    if method == "ping":
        return {}
    raise LookupError(method)


for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    try:
        result = answer(asked)
    except LookupError:
        say({"jsonrpc": "2.0", "id": asked["id"], "error": {"code": -32601, "message": "Method not found"}})
        continue
    if result is not None:
        say({"jsonrpc": "2.0", "id": asked["id"], "result": result})
