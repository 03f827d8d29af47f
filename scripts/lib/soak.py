#!/usr/bin/env python3
"""Calls a serving chimera for a while and looks whether it stays well: soak.py PROGRAM SECONDS

Four callers mix balances, wrong inputs, trends and posts over HTTP. Every answer must be the contract's, memory must not keep
growing, the end must be clean, and the ledger must verify. Prints what was seen; exit code 1 when something is not as it should be.
"""
import http.client, json, os, pathlib, signal, subprocess, sys, tempfile, threading, time, uuid

CALLERS = 4
# Caches and allocators settle in the first quarter; what grows after that is a leak.
GROWTH_MAX_KIB = 48 * 1024


def main(program, seconds):
    with tempfile.TemporaryDirectory() as folder:
        project = pathlib.Path(folder) / "project"
        environment = {"PATH": os.environ["PATH"], "CHIMERA_WALLET_PASSPHRASE": "soaked for minutes"}
        run = lambda *words: subprocess.run([program, *words], cwd=folder, env=environment, check=True, capture_output=True, text=True)
        run("init", str(project))
        place = ["--config", str(project / "chimera.toml"), "--data", str(project / "data")]
        run("agent", "create", "--soul", str(project / "souls" / "selam.md"), *place)
        server = subprocess.Popen([program, "serve", "--json", "--listen", "127.0.0.1:0", *place], cwd=folder, env=environment, stdout=subprocess.PIPE, text=True)
        try:
            calls, wrong, sizes = soak(server, (project / "data" / "token"), seconds)
        finally:
            server.send_signal(signal.SIGTERM)
        ended = server.wait(60)
        doctor = json.loads(run("doctor", "--json", *place).stdout)
    growth = sizes[-1] - sizes[len(sizes) // 4]
    print(f"{calls} calls in {seconds} s, {len(wrong)} wrong answers, {sizes[-1] // 1024} MiB resident at the end, {growth // 1024} MiB more than after a quarter, exit code {ended}, doctor ok: {doctor['ok']}")
    for answer in wrong[:3]:
        print("wrong:", answer)
    return 0 if calls and not wrong and growth < GROWTH_MAX_KIB and ended == 0 and doctor["ok"] else 1


def soak(server, token_file, seconds):
    address = ""
    while not address.endswith("}\n"):
        address += server.stdout.readline()
    host = json.loads(address)["mcp"].split("/")[2]
    token = token_file.read_text().strip()
    calls, wrong, sizes = [0] * CALLERS, [], []
    until = time.monotonic() + seconds

    def call_on(caller):
        connection = http.client.HTTPConnection(host, timeout=60)
        while time.monotonic() < until:
            skill, arguments, expected = work(calls[caller])
            answer = call(connection, token, skill, arguments)
            if answer.get("success") is not expected:
                wrong.append(json.dumps(answer)[:400])
            calls[caller] += 1

    threads = [threading.Thread(target=call_on, args=(caller,)) for caller in range(CALLERS)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        sizes.append(resident_kib(server.pid))
        time.sleep(1)
    return sum(calls), wrong, sizes


def work(number):
    """The skill, its input, and whether it must succeed."""
    task = str(uuid.uuid4())
    if number % 40 == 20:
        goal = "follow open AI language model news"
        return "skill_trend_fetcher", {"agent_id": "selam", "campaign_id": "soak", "resource_uris": ["news://global/technology/latest"], "goal_context": goal}, True
    if number % 40 == 39:
        context = {"goal_description": "open AI language models that run on phones", "persona_constraints": [], "required_resources": ["news://global/technology/latest"]}
        return "skill_content_generator", {"task_id": task, "agent_id": "selam", "task_type": "generate_content", "context": context, "acceptance_criteria": {"content_type": "text", "platform": "mastodon"}}, True
    wallet = {"task_id": task, "agent_id": "selam", "operation": "get_balance", "params": {"asset": "USDC"}}
    if number % 2:
        wallet["surprise"] = "x" * 200
    return "skill_wallet_transaction", wallet, not number % 2


def call(connection, token, skill, arguments):
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientInfo": {"name": "soak", "version": "1"}, "io.modelcontextprotocol/clientCapabilities": {}}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": skill, "arguments": arguments, "_meta": meta}}
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Authorization": f"Bearer {token}", "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": skill}
    connection.request("POST", "/mcp", json.dumps(body), headers)
    answer = json.loads(connection.getresponse().read())
    return answer.get("result", {}).get("structuredContent", answer)


def resident_kib(pid):
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0])


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1]), int(sys.argv[2])))
