"""An MCP server whose tools draw: a picture of two pixels, given as data or as a resource, or not at all."""

import base64
import struct
import zlib

from fastmcp import FastMCP

studio = FastMCP("studio")


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def picture() -> bytes:
    header = struct.pack(">IIBBBBB", 2, 1, 8, 2, 0, 0, 0)
    pixels = zlib.compress(b"\0\xff\0\0\0\0\xff")
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


def check(prompt: str, width: int, height: int, character_reference_id: str) -> None:
    if not prompt or (width, height) != (1600, 900) or character_reference_id != "selam":
        raise ValueError(f"unexpected: {prompt!r} {width}x{height} {character_reference_id!r}")


@studio.tool
def draw_as_data(prompt: str, width: int, height: int, character_reference_id: str) -> dict:
    check(prompt, width, height, character_reference_id)
    return {"media_uri": "data:image/png;base64," + base64.b64encode(picture()).decode()}


@studio.tool
def draw_as_resource(prompt: str, width: int, height: int, character_reference_id: str) -> dict:
    check(prompt, width, height, character_reference_id)
    return {"media_uri": "studio://pictures/1"}


@studio.tool
def draw_nothing(prompt: str, width: int, height: int, character_reference_id: str) -> dict:
    raise ValueError("out of paint")


@studio.resource("studio://pictures/1", mime_type="image/png")
def first_picture() -> bytes:
    return picture()


studio.run(show_banner=False)
