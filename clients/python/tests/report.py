"""Runs the tests and writes one line of JSON for each: `python -m tests.report [names…]`."""

from __future__ import annotations

import json
import sys
import time
import unittest
from typing import Any


class Report(unittest.TestResult):
    def startTest(self, test: unittest.TestCase) -> None:
        super().startTest(test)
        self._begun = time.monotonic()

    def _tell(self, test: Any, status: str, text: str = "") -> None:
        seconds = time.monotonic() - getattr(self, "_begun", time.monotonic())
        # Of a class that could not be set up there is no test, only a text in its place.
        name = test.id().removeprefix("tests.") if hasattr(test, "id") else str(test)
        line = {"name": name, "status": status, "seconds": round(seconds, 2), "text": text}
        print(json.dumps(line), flush=True)

    def addSuccess(self, test: unittest.TestCase) -> None:
        self._tell(test, "passed")

    def addFailure(self, test: unittest.TestCase, err: Any) -> None:
        super().addFailure(test, err)
        self._tell(test, "failed", self.failures[-1][1])

    def addError(self, test: unittest.TestCase, err: Any) -> None:
        super().addError(test, err)
        self._tell(test, "failed", self.errors[-1][1])

    def addSkip(self, test: unittest.TestCase, reason: str) -> None:
        super().addSkip(test, reason)
        self._tell(test, "skipped", reason)

    def addSubTest(self, test: Any, subtest: Any, err: Any) -> None:
        super().addSubTest(test, subtest, err)
        if err is not None:
            listed = self.failures if issubclass(err[0], test.failureException) else self.errors
            self._tell(subtest, "failed", listed[-1][1])


def main(names: list[str]) -> int:
    loader = unittest.defaultTestLoader
    found = loader.loadTestsFromNames([f"tests.{name}" for name in names])
    result = Report()
    found.run(result)
    return 0 if result.wasSuccessful() and result.testsRun > 0 else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
