"""An agent in a process of its own: pays once it may, and writes each run into a file.

python -m tests.paying_process URL TOKEN FILE KEY LEASE SECONDS
"""

from __future__ import annotations

import json
import sys
import time

from countersign import Gate

url, token, file, key, lease, seconds = sys.argv[1:]


def pay(amount: int, to: str) -> str:
    with open(file, "a") as runs:
        runs.write(f"{to}\n")
    print("running", flush=True)
    time.sleep(float(seconds))
    return f"paid {amount}"


gate = Gate(url, token, announce=False, lease=float(lease))
outcome = gate.run("pay", {"amount": 500, "to": "Lena"}, pay, run="processes", key=key)
told = {"status": outcome.status, "ran": outcome.ran, "code": outcome.code}
print(json.dumps({**told, "result": outcome.result, "replayed": outcome.replayed}), flush=True)
