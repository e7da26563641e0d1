"""Verifies many records in one process, for a comparison with the other verifier.

Reads JSON from standard input: a list of `{ lines, keys?, checkpoints? }`, where `lines` may refer
to the first case with changes. Writes the reports as JSON.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from countersign.verify import verify_countersignature, verify_lines


def main() -> None:
    given = json.load(sys.stdin)
    reports = [_record(case) for case in given.get("records", ())]
    proofs = [verify_countersignature(**case).ok for case in given.get("proofs", ())]
    json.dump({"records": reports, "proofs": proofs}, sys.stdout)


def _record(case: dict[str, Any]) -> dict[str, Any]:
    report = verify_lines(
        case["lines"], keys=case.get("keys"), checkpoints=case.get("checkpoints", ())
    )
    return report.as_json()


main()
