#!/usr/bin/env python3
"""How soon a change is heard on many event streams, and what they cost: live.py PROGRAM

Serves a project of its own, opens streams of /api/live as 125 people do (8 each), changes something four times a second through the API, and
notes on every stream when its hint comes. Prints a table in Markdown; exit code 1 when a limit does not hold.
"""
import asyncio, http.client, json, os, pathlib, resource, signal, statistics, subprocess, sys, tempfile, time

FEW, MANY = 10, 1000
STREAMS_PER_PERSON = 8
CHANGES, EVERY_S = 120, 0.25
QUIET_S = 10
# The log is looked at ten times a second, so a hint comes after 50 ms in the mean, however few listen.
P99_MAX_MS = 1000
RATIO_MAX = 3


def main(program):
    resource.setrlimit(resource.RLIMIT_NOFILE, (8192, max(8192, resource.getrlimit(resource.RLIMIT_NOFILE)[1])))
    with tempfile.TemporaryDirectory() as folder:
        project = pathlib.Path(folder) / "project"
        environment = {"PATH": os.environ["PATH"], "CHIMERA_WALLET_PASSPHRASE": "listened to for minutes"}
        place = ["--config", str(project / "chimera.toml"), "--data", str(project / "data")]
        run = lambda *words: subprocess.run([program, *words], cwd=folder, env=environment, check=True, capture_output=True)
        run("init", str(project))
        run("agent", "create", "--soul", str(project / "souls" / "selam.md"), *place)
        server = subprocess.Popen([program, "serve", "--json", "--listen", "127.0.0.1:0", *place], cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            told = ""
            while not told.endswith("}\n"):
                told += server.stdout.readline()
            stage = Stage(json.loads(told)["mcp"].split("/")[2], (project / "data" / "token").read_text().strip(), server.pid)
            keys = [stage.add(f"listener-{number}") for number in range(MANY // STREAMS_PER_PERSON)]
            time.sleep(2)
            alone = stage.resident_mib()
            few = asyncio.run(measure(stage, keys, FEW))
            many = asyncio.run(measure(stage, keys, MANY))
        finally:
            server.send_signal(signal.SIGTERM)
        code = server.wait(60)
    return report(alone, few, many, code)


class Stage:
    def __init__(self, host, token, pid):
        self.host, self.token, self.pid = host, token, pid
        self.connection = http.client.HTTPConnection(host, timeout=60)

    def ask(self, method, path, body=None):
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        self.connection.request(method, path, json.dumps(body) if body is not None else None, headers)
        answer = self.connection.getresponse()
        text = answer.read()
        assert answer.status < 300, f"{method} {path}: {answer.status} {text[:300]}"
        return json.loads(text) if text else None

    def add(self, name):
        return self.ask("POST", "/api/people", {"name": name, "role": "viewer"})["key"]

    # One event each.
    def change(self, number):
        if number % 2 == 0:
            self.ask("POST", "/api/pauses", {"agent_id": "selam", "reason": "a change"})
        else:
            self.ask("DELETE", "/api/pauses/selam")

    def last_event(self):
        return self.ask("GET", "/api/events?limit=1")["last"]

    def cpu_s(self):
        fields = pathlib.Path(f"/proc/{self.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def resident_mib(self):
        return int(pathlib.Path(f"/proc/{self.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


async def measure(stage, keys, count):
    heard, loop = {}, asyncio.get_running_loop()
    streams = [await asyncio.open_connection(*stage.host.split(":")) for _ in range(count)]
    for number, (reader, writer) in enumerate(streams):
        writer.write(f"GET /api/live HTTP/1.1\r\nHost: {stage.host}\r\nAuthorization: Bearer {keys[number // STREAMS_PER_PERSON]}\r\n\r\n".encode())
        head = await reader.readuntil(b"\r\n\r\n")
        assert b" 200 " in head.split(b"\r\n")[0], head
    listening = [asyncio.create_task(listen(reader, heard)) for reader, _ in streams]
    await asyncio.sleep(2)
    quiet = await cpu_share(stage, asyncio.sleep(QUIET_S))
    last = await loop.run_in_executor(None, stage.last_event)
    sent = {}

    async def change():
        for number in range(CHANGES):
            sent[last + 1 + number] = time.monotonic()
            await loop.run_in_executor(None, stage.change, number)
            await asyncio.sleep(max(0.0, sent[last + 1] + (number + 1) * EVERY_S - time.monotonic()))
        await asyncio.sleep(2)

    busy = await cpu_share(stage, change())
    resident = stage.resident_mib()
    for task in listening:
        task.cancel()
    for _, writer in streams:
        writer.close()
    waits = sorted((at - sent[number]) * 1000 for number, times in heard.items() if number in sent for at in times)
    return {"streams": count, "quiet": quiet, "busy": busy, "resident": resident, "waits": waits, "missing": CHANGES * count - len(waits)}


async def listen(reader, heard):
    while line := await reader.readline():
        if line.startswith(b"id: "):
            heard.setdefault(int(line[4:]), []).append(time.monotonic())


async def cpu_share(stage, work):
    cpu, began = stage.cpu_s(), time.monotonic()
    await work
    return (stage.cpu_s() - cpu) / (time.monotonic() - began)


def report(alone, few, many, code):
    at = lambda part, share: part["waits"][min(int(len(part["waits"]) * share), len(part["waits"]) - 1)]
    ratio = at(many, 0.99) / at(few, 0.99)
    rows = [f"| {part['streams']} | {statistics.median(part['waits']):.0f} ms | {at(part, 0.99):.0f} ms | {part['waits'][-1]:.0f} ms | {part['quiet']:.1%} | {part['busy']:.1%} | {part['resident']:.0f} MiB | {part['missing']} |" for part in (few, many)]
    verdict = lambda holds: "PASS" if holds else "FAIL"
    limits = [(f"p99 of {MANY} streams under {P99_MAX_MS} ms", at(many, 0.99) < P99_MAX_MS), (f"p99 of {MANY} at most {RATIO_MAX} times that of {FEW}: {ratio:.2f}", ratio <= RATIO_MAX), ("no hint is missing", few["missing"] == many["missing"] == 0), ("a clean end", code == 0)]
    print("| streams | change to hint, median | p99 | worst | CPU while nothing changes | CPU at 4 changes a second | resident | hints that did not come |\n|--:|--:|--:|--:|--:|--:|--:|--:|")
    print("\n".join(rows))
    print(f"\n{alone:.0f} MiB resident before the first stream. CPU is of one core, of the server alone. From the moment the change is sent to the moment the hint is read, on each stream, {CHANGES} changes.\n")
    print("| wanted | verdict |\n|---|---|\n" + "\n".join(f"| {what} | {verdict(holds)} |" for what, holds in limits))
    return 0 if all(holds for _, holds in limits) else 1


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1])))
