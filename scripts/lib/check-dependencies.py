"""Checks what the program is built from: free licences, no second TLS stack, nothing from outside the registry."""

import json
import re
import subprocess
import sys

LICENCES = {
    "0BSD", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "CC0-1.0",
    "CDLA-Permissive-2.0", "ISC", "MIT", "MIT-0", "MPL-2.0", "Unicode-3.0", "Unlicense", "Zlib",
}  # fmt: skip

# Each costs minutes of a newcomer's first build, or does again what another dependency does already.
REFUSED = {
    "aws-lc-sys": "rustls runs on ring here",
    "native-tls": "rustls is the one TLS stack",
    "openssl-sys": "rustls is the one TLS stack",
}


def main() -> None:
    problems = [problem for package in dependencies() for problem in problems_of(package)]
    for problem in problems:
        print(problem)
    sys.exit(1 if problems else 0)


def dependencies() -> list[dict]:
    """What the program needs on Linux, tools of its tests included."""
    command = ["cargo", "metadata", "--format-version=1", "--locked", "--filter-platform=x86_64-unknown-linux-gnu"]
    metadata = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    used = {node["id"] for node in metadata["resolve"]["nodes"]}
    ours = set(metadata["workspace_members"])
    return [package for package in metadata["packages"] if package["id"] in used - ours]


def problems_of(package: dict) -> list[str]:
    name = f"{package['name']} {package['version']}"
    problems = []
    if not (package["source"] or "").startswith(("registry+", "sparse+")):
        problems.append(f"{name} does not come from the registry")
    if package["name"] in REFUSED:
        problems.append(f"{name} is refused: {REFUSED[package['name']]}")
    if not is_allowed(package["license"] or ""):
        problems.append(f"{name} has the licence {package['license']!r}, which nobody has looked at")
    return problems


def is_allowed(expression: str) -> bool:
    """Whether an SPDX expression (or the older "MIT/Apache-2.0" form) can be met with LICENCES."""
    tokens = re.findall(r"\(|\)|[^\s()]+", expression.replace("/", " OR "))
    position = 0

    def either() -> bool:
        nonlocal position
        met = both()
        while position < len(tokens) and tokens[position] == "OR":
            position += 1
            met = both() or met
        return met

    def both() -> bool:
        nonlocal position
        met = one()
        while position < len(tokens) and tokens[position] == "AND":
            position += 1
            met = one() and met
        return met

    def one() -> bool:
        nonlocal position
        token = tokens[position] if position < len(tokens) else ""
        position += 1
        if token == "(":
            met = either()
            position += 1
            return met
        if tokens[position : position + 1] == ["WITH"]:
            token = f"{token} WITH {tokens[position + 1]}"
            position += 2
        return token in LICENCES

    return either()


main()
