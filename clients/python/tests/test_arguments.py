"""Arguments reach people and tools exactly, or the call is refused."""

from __future__ import annotations

import datetime
import decimal
import enum
import json
import math
import os
import random
import struct
import subprocess
import unittest
from typing import Any

from countersign.canonical import canonical, number_text, parse
from countersign.errors import CountersignError

from .paying import Tool
from .support import NODE, Case


class Colour(str, enum.Enum):
    RED = "red"


EXACT: dict[str, Any] = {
    "float": 0.1,
    "small": 5e-324,
    "whole": 3.0,
    "minus": -0.0,
    "large": 2**53 - 1,
    "least": -(2**53) + 1,
    "power": 1.5e-7,
    "text": "Grüße, 世界 \U0001f600 \u2028 \x7f \x00 \u202e",
    "\U0001f600": 1,
    "\ufb33": 2,
    "empty": {},
    "list": [None, True, False, [], (1, 2)],
    "": "no name",
}

REFUSED: dict[str, tuple[Any, str]] = {
    "NaN": (math.nan, "unsafe_number"),
    "infinity": (-math.inf, "unsafe_number"),
    "2**53": (2**53, "unsafe_number"),
    "a large float": (1e300, "unsafe_number"),
    "half a pair": ("\ud800", "invalid_unicode"),
    "half a pair as a name": ({"\udc00": 1}, "invalid_unicode"),
    "bytes": (b"a", "invalid_value"),
    "a set": ({1}, "invalid_value"),
    "a date": (datetime.date(2026, 1, 1), "invalid_value"),
    "a decimal": (decimal.Decimal("1.1"), "invalid_value"),
    "an enum of texts": (Colour.RED, "invalid_value"),
    "an object": (object(), "invalid_value"),
    "a number as a name": ({1: 2}, "invalid_value"),
    "too long": ("x" * 1_048_577, "too_large"),
    "too many names": ({str(n): n for n in range(10_001)}, "too_large"),
}


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


class Canonical(unittest.TestCase):
    def test_what_json_cannot_hold_exactly_is_refused_with_its_place(self) -> None:
        for name, (value, code) in REFUSED.items():
            with self.subTest(name), self.assertRaises(CountersignError) as refused:
                canonical({"a": [value]})
            self.assertEqual(refused.exception.code, code)
            if code != "too_large":
                self.assertTrue(refused.exception.message.startswith("$.a[0]"))
        with self.assertRaises(CountersignError) as deep:
            canonical(nested(65))
        self.assertEqual(deep.exception.code, "too_deep")
        canonical(nested(64))
        itself: list[Any] = []
        itself.append(itself)
        with self.assertRaises(CountersignError) as deep:
            canonical(itself)
        self.assertEqual(deep.exception.code, "too_deep")

    def test_json_that_readers_understand_differently_is_refused(self) -> None:
        for text, code in (
            ('{"a":1,"a":2}', "duplicate_key"),
            ('{"a":{"b":1,"\\u0062":2}}', "duplicate_key"),
            ("[NaN]", "unsafe_number"),
            ("[9007199254740993]", "unsafe_number"),
            ("[" + "9" * 5_000 + "]", "unsafe_number"),
            ("[1e400]", "unsafe_number"),
            ('["\\ud800"]', "invalid_unicode"),
            ("[1,]", "invalid_json"),
            ("", "invalid_json"),
            ("[" * 100_000, "too_deep"),
        ):
            with self.assertRaises(CountersignError) as refused:
                parse(text)
            self.assertEqual(refused.exception.code, code, text[:40])
        with self.assertRaises(CountersignError) as refused:
            parse(b'"\xff"')
        self.assertEqual(refused.exception.code, "invalid_unicode")
        self.assertEqual(parse('["\\ud83d\\ude00", 1.0]'), ["\U0001f600", 1.0])

    def test_ten_thousand_numbers_are_written_as_javascript_does(self) -> None:
        chance = random.Random(7)
        numbers = [struct.unpack("<d", chance.randbytes(8))[0] for _ in range(8_000)]
        numbers += [chance.uniform(-1, 1) * 10 ** chance.randint(-9, 22) for _ in range(2_000)]
        numbers = [one for one in numbers if math.isfinite(one)]
        numbers += [0.0, 1e21, 1e20, 123456789012345680000.0, 1e-6, 1e-7, 5e-324, 1.7e308]
        program = "let s='';process.stdin.on('data',d=>s+=d).on('end',()=>console.log(" \
            "JSON.stringify(JSON.parse(s).map(n=>String(n)))))"
        env = {**os.environ, "NODE_OPTIONS": ""}
        ran = subprocess.run(
            [NODE, "-e", program], input=json.dumps(numbers), capture_output=True, text=True, env=env
        )
        self.assertEqual(json.loads(ran.stdout), [number_text(one) for one in numbers])


class OnTheServer(Case):
    def test_arguments_arrive_as_they_were_passed(self) -> None:
        seen: list[dict[str, Any]] = []
        outcome = self.gate().run("read", EXACT, lambda **args: seen.append(args))
        self.assertEqual(outcome.status, "succeeded", outcome.model_message)
        expected = {**EXACT, "list": [None, True, False, [], [1, 2]]}
        self.assertEqual(seen, [expected])
        self.assertEqual(canonical(seen[0]), canonical(EXACT))

    def test_approved_arguments_are_the_same_bytes_and_the_same_call(self) -> None:
        gate, seen = self.gate(), []
        args = {**EXACT, "amount": 500.0}

        def pay(**given: Any) -> None:
            seen.append(given)

        running = self.later(lambda: gate.run("pay", args, pay, run="r-bytes", key="k"))
        self.server.decide()
        self.assertEqual(running.result().status, "succeeded")
        self.assertEqual(canonical(seen[0]), canonical(args))
        # 500 and 500.0 are one number in JSON, so this is the same call.
        again = gate.run("pay", {**args, "amount": 500}, pay, run="r-bytes", key="k")
        self.assertTrue(again.replayed)

    def test_arguments_that_cannot_be_sent_run_nothing(self) -> None:
        tool = Tool()
        for name, (value, code) in REFUSED.items():
            outcome = self.gate().run("read", {"amount": value}, tool)
            self.assertEqual((outcome.code, outcome.ran), (code, False), name)
        for args in (None, [1], "text"):
            outcome = self.gate().run("read", args, tool)  # type: ignore[arg-type]
            self.assertEqual((outcome.code, outcome.ran), ("invalid_call", False))
        self.assertEqual(tool.runs, [])

    def test_a_key_of_any_length_names_its_call(self) -> None:
        gate = self.gate()
        named = {"run": "r-long", "key": "call_" + "s" * 5_000}
        asked = gate.check("pay", {"amount": 500}, **named)
        self.assertEqual(gate.check("pay", {"amount": 500}, **named).id, asked.id)
        gate.withdraw(asked.id or "")
