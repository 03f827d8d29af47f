"""Checks what the program is built from: free licences, crates.io and nothing else, no second TLS stack, no crate twice without a reason.

Needs no network: what cargo has fetched for the build is all that it looks at.
"""

import pathlib
import re
import subprocess
import sys
import tomllib

LICENCES = {
    "0BSD", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "CC0-1.0",
    "CDLA-Permissive-2.0", "ISC", "MIT", "MIT-0", "MPL-2.0", "Unicode-3.0", "Unlicense", "Zlib",
}  # fmt: skip

CRATES_IO = "registry+https://github.com/rust-lang/crates.io-index"
# The program, and the two workspaces beside it.
LOCKS = ["Cargo.lock", "fuzz/Cargo.lock", "bench/alloy/Cargo.lock"]
OURS = re.compile(r"chimera(-[a-z]+)?|bench-alloy")

# Each costs minutes of a newcomer's first build, or does again what another dependency does already.
REFUSED = {
    "aws-lc-sys": "rustls runs on ring here",
    "native-tls": "rustls is the one TLS stack",
    "openssl-sys": "rustls is the one TLS stack",
}

RUSTCRYPTO = "half of the RustCrypto crates have moved on (scrypt, pbkdf2, revm), k256, p256 and chacha20poly1305 not yet"
# Each is built more than once. Another one needs a reason here, and one that is no more has to go.
TWICE = {
    "base64": "boon, a tool of the tests, takes the older one",
    "block-buffer": RUSTCRYPTO,
    "chacha20": "chacha20poly1305 takes the older one, rand the newer one",
    "cipher": RUSTCRYPTO,
    "cpufeatures": RUSTCRYPTO,
    "crypto-common": RUSTCRYPTO,
    "digest": RUSTCRYPTO,
    "foldhash": "hashbrown, which imara-diff takes",
    "getrandom": "ring takes the oldest one, we and ahash the middle one, uuid the newest one",
    "hashbrown": "imara-diff, which compares an edit with its draft, takes the older one",
    "hmac": RUSTCRYPTO,
    "inout": RUSTCRYPTO,
    "miniz_oxide": "png and flate2 do not agree",
    "rand": "ark-std takes the older one, rmcp the newer one",
    "rand_core": "ark-std and k256 take the older one, rmcp the newer one",
    "sha2": RUSTCRYPTO,
    "syn": "not every derive macro has moved on",
}


def main() -> None:
    built = crates()
    problems = [problem for name, version, licence in built for problem in problems_of(name, version, licence)]
    problems += problems_of_duplicates({(name, version) for name, version, _ in built})
    for lock in LOCKS:
        problems += [f"{lock}: {problem}" for problem in problems_of_sources(tomllib.loads(pathlib.Path(lock).read_text()))]
    for problem in problems:
        print(problem)
    print(f"{len(built)} crates, {len(TWICE)} of them more than once, {len(problems)} problems")
    sys.exit(1 if problems or not built else 0)


def crates() -> list[tuple[str, str, str]]:
    """Name, version and licence of what is built on Linux, tools of the tests included, without what is ours."""
    command = ["cargo", "tree", "--workspace", "--locked", "--target=x86_64-unknown-linux-gnu", "--edges=normal,build,dev"]
    command += ["--prefix=none", "--no-dedupe", "--format={p}\t{l}"]
    lines = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    found = set()
    for line in filter(None, lines):
        package, _, licence = line.partition("\t")
        name, version, *about = package.split(" ")
        if not any(word.startswith("(/") for word in about):
            found.add((name, version.removeprefix("v"), licence))
    return sorted(found)


def problems_of(name: str, version: str, licence: str) -> list[str]:
    problems = []
    if name in REFUSED:
        problems.append(f"{name} {version} is refused: {REFUSED[name]}")
    if not is_allowed(licence):
        problems.append(f"{name} {version} has the licence {licence!r}, which nobody has looked at")
    return problems


def problems_of_duplicates(built: set[tuple[str, str]]) -> list[str]:
    versions: dict[str, list[str]] = {}
    for name, version in sorted(built):
        versions.setdefault(name, []).append(version)
    twice = {name: found for name, found in versions.items() if len(found) > 1}
    problems = [f"{name} is built more than once ({', '.join(found)}): give a reason, or do without" for name, found in twice.items() if name not in TWICE]
    return problems + [f"{name} is built once now: take its reason out" for name in TWICE if name not in twice]


def problems_of_sources(lock: dict) -> list[str]:
    problems = []
    for package in lock["package"]:
        name = f"{package['name']} {package['version']}"
        if "source" not in package:
            if not OURS.fullmatch(package["name"]):
                problems.append(f"{name} is a folder on this machine")
        elif package["source"] != CRATES_IO:
            problems.append(f"{name} comes from {package['source']}, and not from crates.io")
        elif not re.fullmatch("[0-9a-f]{64}", package.get("checksum", "")):
            problems.append(f"{name} has no checksum")
    return problems


def is_allowed(expression: str) -> bool:
    """Whether an SPDX expression (or the older "MIT/Apache-2.0" form) can be met with LICENCES. What is no expression cannot."""
    tokens = re.findall(r"\(|\)|[^\s()]+", expression.replace("/", " OR "))
    position = 0

    def take() -> str:
        nonlocal position
        position += 1
        return tokens[position - 1] if position <= len(tokens) else ""

    def next_is(word: str) -> bool:
        return tokens[position : position + 1] == [word]

    def either() -> bool:
        met = both()
        while next_is("OR"):
            take()
            met = both() or met
        return met

    def both() -> bool:
        met = one()
        while next_is("AND"):
            take()
            met = one() and met
        return met

    def one() -> bool:
        token = take()
        if token == "(":
            met = either()
            return take() == ")" and met
        if next_is("WITH"):
            take()
            token = f"{token} WITH {take()}"
        return token in LICENCES

    return either() and position == len(tokens)


def check_myself() -> None:
    """A check that lets everything pass would look the same as one with nothing to say."""
    good = ["MIT", "MIT/GPL-3.0", "(MIT OR GPL-3.0) AND ISC", "Apache-2.0 WITH LLVM-exception", "GPL-3.0 OR MIT AND ISC"]
    bad = ["", "GPL-3.0", "MIT AND GPL-3.0", "(MIT", "MIT)", "MIT MIT", "GPL-3.0 WITH LLVM-exception", "MIT OR", "(MIT OR ISC) AND GPL-3.0"]
    assert all(map(is_allowed, good)) and not any(map(is_allowed, bad))
    sha = "0" * 64
    lock = {"package": [{"name": "a", "version": "1", "source": CRATES_IO, "checksum": sha}, {"name": "chimera-core", "version": "1"}]}
    assert problems_of_sources(lock) == []
    strange = [
        {"source": "git+https://github.com/a/a#1"}, {"source": "sparse+https://other.example/", "checksum": sha},
        {"source": CRATES_IO}, {},
    ]  # fmt: skip
    assert all(len(problems_of_sources({"package": [{"name": "a", "version": "1", **one}]})) == 1 for one in strange)
    known = {(name, version) for name in TWICE for version in "12"}
    assert problems_of_duplicates(known) == []
    assert len(problems_of_duplicates(known | {("new", "1"), ("new", "2")})) == 1 and len(problems_of_duplicates(set())) == len(TWICE)


check_myself()
main()
