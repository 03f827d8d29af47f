#!/usr/bin/env python3
"""Asks a serving chimera all that its OpenAPI document allows, and what it does not: check-api.py PROGRAM SCHEMATHESIS SECONDS

Schemathesis reads /api/openapi.json of a server of its own, which has sample agents, a campaign, play money, and publishes nothing. No answer may be a
5xx, and each must be one that the document describes: status, content type, headers, schema; what the document refuses must be refused.
A fifth of the time is for looking; the rest for changing, which the server lets one person do 600 times a minute.
"""
import http.client, json, os, pathlib, re, signal, subprocess, sys, tempfile, time

CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_headers_conformance,response_schema_conformance,negative_data_rejection,unsupported_method,missing_required_header"
# A stream does not end, and its test is crates/chimera-dashboard/src/live.rs.
STREAM = "/api/live"


def main(program, schemathesis, seconds):
    with tempfile.TemporaryDirectory() as folder:
        project = pathlib.Path(folder) / "project"
        environment = {"PATH": os.environ["PATH"], "HOME": folder, "CHIMERA_WALLET_PASSPHRASE": "asked everything"}
        run = lambda *words: subprocess.run([program, *words], cwd=folder, env=environment, check=True, capture_output=True, text=True).stdout
        run("init", str(project))
        place = ["--config", str(project / "chimera.toml"), "--data", str(project / "data")]
        for soul in ["selam", "tariku"]:
            run("agent", "create", "--soul", str(project / "souls" / f"{soul}.md"), *place)
        goal = ["--goal", "Follow open AI language models that run on phones", "--watch", "news://global/technology/latest"]
        campaign = json.loads(run("campaign", "create", "--json", "--agents", "selam,tariku", *goal, *place))["campaign_id"]
        run("campaign", "start", campaign, *place)
        log = open(pathlib.Path(folder) / "log", "w")
        server = subprocess.Popen([program, "serve", "--json", "--listen", "127.0.0.1:0", *place], cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=log, text=True)
        try:
            host = address(server)
            token = (project / "data" / "token").read_text().strip()
            wait_for_reviews(host, token)
            ask = lambda *flags: subprocess.run([schemathesis, "run", f"http://{host}/api/openapi.json", "-H", f"Authorization: Bearer {token}", *flags], cwd=folder, env={**environment, "NO_COLOR": "1"}, capture_output=True, text=True)
            ended = [ask(*COMMON, *flags) for flags in parts(seconds)]
            alive = server.poll() is None
        finally:
            server.send_signal(signal.SIGTERM)
        code = server.wait(60)
        panicked = "panicked" in pathlib.Path(log.name).read_text()
    for one in ended:
        print(one.stdout[-20_000:])
        print(one.stderr[-2_000:], file=sys.stderr)
    cases = [re.search(r"(\d+) generated", one.stdout) for one in ended]
    print(f"{sum(int(found[1]) for found in cases if found)} requests made of the document, exit codes {[one.returncode for one in ended]}, the server ended with {code}{', and panicked' if panicked else ''}")
    return 0 if alive and code == 0 and not panicked and all(one.returncode == 0 for one in ended) and all(cases) else 1


COMMON = ["--checks", CHECKS, "--exclude-path", STREAM, "--seed", "1", "--generation-database", "none", "--suppress-health-check", "all", "--request-timeout", "30", "--continue-on-failure", "--no-color", "--warnings", "off"]


def parts(seconds):
    looking = ["--include-method", "GET", "--max-time", str(max(seconds // 5, 1)), "--phases", "examples,fuzzing"]
    # Nobody is removed who asks, and no campaign reads the world while it is asked about.
    changing = ["--exclude-method", "GET", "--max-time", str(seconds - seconds // 5), "--phases", "examples,fuzzing", "--rate-limit", "9/s"]
    return looking, changing


def address(server):
    told = ""
    while not told.endswith("}\n"):
        told += server.stdout.readline()
    return json.loads(told)["mcp"].split("/")[2]


# So that there is something to decide.
def wait_for_reviews(host, token):
    until = time.monotonic() + 60
    while time.monotonic() < until:
        connection = http.client.HTTPConnection(host, timeout=30)
        connection.request("GET", "/api/reviews", headers={"Authorization": f"Bearer {token}"})
        if json.loads(connection.getresponse().read())["items"]:
            return
        time.sleep(0.5)
    raise SystemExit("no review came in a minute")


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), int(sys.argv[3])))
