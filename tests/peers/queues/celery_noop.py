"""Celery on the Redis behind a socket: each line of standard input is a number of tasks that do nothing, each of them a chain of three,
for a Worker, a Judge and a Publisher. The answer is how many seconds they took, from the first enqueue to the last result. Ends with its
input.

    python celery_noop.py SOCKET TASKS_AT_ONCE
"""

import os
import subprocess
import sys
import time

from celery import Celery, chain, group

# The worker is a process of its own, and is told by the environment.
SOCKET = os.environ.get("CELERY_SOCKET") or sys.argv[1]
URL = f"redis+socket://{SOCKET}"
# As long as our messages.
TASK = "t" * 560
RESULT = "r" * 330

app = Celery("celery_noop", broker=URL, backend=URL)
# A task counts as taken only once it is done, as ours does.
app.conf.update(task_acks_late=True, broker_connection_retry_on_startup=True)


@app.task(name="work")
def work(task_id, context):
    return {"task_id": task_id, "result": RESULT}


@app.task(name="judge")
def judge(result):
    return {"task_id": result["task_id"], "decision": "approve"}


@app.task(name="publish")
def publish(decision):
    return {"task_id": decision["task_id"], "status": "dry_run"}


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    command = [sys.executable, "-B", "-m", "celery", "-A", "celery_noop", "worker", "--pool", "threads", "--concurrency", sys.argv[2]]
    quiet = ["--loglevel", "ERROR", "--without-gossip", "--without-mingle"]
    environment = {**os.environ, "CELERY_SOCKET": SOCKET}
    worker = subprocess.Popen(command + quiet, cwd=here, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        judge.delay({"task_id": "0"}).get(timeout=60)
        for line in sys.stdin:
            count = int(line)
            started = time.monotonic()
            group(chain(work.s(str(number), TASK), judge.s(), publish.s()) for number in range(count)).apply_async().get(timeout=600)
            print(time.monotonic() - started, flush=True)
    finally:
        worker.terminate()
        worker.wait(30)


if __name__ == "__main__":
    main()
