"""A call that the policy of the tests asks about, and a tool that counts its runs."""

from __future__ import annotations

PAY = {"amount": 500, "to": "Lena"}


class Tool:
    def __init__(self) -> None:
        self.runs: list[dict[str, object]] = []

    def __call__(self, **args: object) -> object:
        self.runs.append(args)
        return {"paid": args["amount"]}
