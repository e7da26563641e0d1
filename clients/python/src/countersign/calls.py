"""A call as it is asked about, and what a gate demands beside the policy of the server."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from .canonical import canonical, parse
from .errors import CountersignError

MAX_TEXT = 1_024

#: True: ask. False: leave it to the policy. Or a word, or a declaration in the words of policies.
CustomAnswer = Any
Decide = Callable[["Call"], CustomAnswer]


@dataclass(frozen=True)
class Mode:
    """What a gate adds to the policy of its server. It can only tighten it."""

    kind: str
    decide: Decide | None = None


def annotated() -> Mode:
    """The default: what the policy and the code declare."""
    return Mode("annotated")


def deny_all() -> Mode:
    """For previews: nothing runs, and the server is not asked."""
    return Mode("deny_all")


def custom(decide: Decide) -> Mode:
    """A function decides for each call whether to ask for more. Whatever goes wrong with it asks."""
    if not callable(decide):
        raise CountersignError("mode_refused", "custom() takes a function")
    return Mode("custom", decide)


@dataclass(frozen=True)
class Call:
    tool: str
    #: Read once when the call was made; the caller's own object cannot change it any more.
    args: dict[str, Any]
    run: str
    key: str
    principal: str | None = None
    server: str | None = None
    kind: str = "tool"
    context: dict[str, Any] | None = None
    form: dict[str, Any] | None = None

    def body(self) -> dict[str, Any]:
        optional = {
            "principal": self.principal,
            "server": self.server,
            "context": self.context,
            "form": self.form,
        }
        return {
            "kind": self.kind,
            "tool": self.tool,
            "args": self.args,
            "run": self.run,
            "key": self.key,
            **{name: value for name, value in optional.items() if value is not None},
        }


def snapshot(args: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments as they are at this moment. Raises where JSON cannot hold them exactly."""
    if not isinstance(args, Mapping):
        raise CountersignError("invalid_call", "args is not a mapping; use {} for none")
    copy: dict[str, Any] = parse(canonical(dict(args)))
    return copy


def read_call(
    tool: str,
    args: Mapping[str, Any],
    *,
    run: str | None,
    key: str | None,
    **others: Any,
) -> Call:
    """Under a key, so that asking again after a lost answer is not a second question."""
    named = key if key is not None else str(uuid.uuid4())
    if isinstance(named, str) and len(named) > MAX_TEXT:
        text = canonical(["countersign.key.v1", named])
        named = hashlib.sha256(text.encode()).hexdigest()
    for name, value in (("run", run), ("key", named)):
        if value is not None and not isinstance(value, str):
            raise CountersignError("invalid_call", f"{name} is not text")
    return Call(tool, snapshot(args), run if run is not None else str(uuid.uuid4()), named, **others)


def demanded(mode: Mode, call: Call) -> list[dict[str, Any]] | None:
    """What the mode demands of a call, as declarations; None where it denies the call."""
    if mode.kind != "custom" or mode.decide is None:
        return []
    try:
        answer = mode.decide(call)
    except Exception:
        answer = True
    if answer == "deny":
        return None
    if answer == "review":
        return [{"approval": {"approvers": ["*"]}}]
    if isinstance(answer, dict):
        return [answer]
    # Even an empty demand travels: the function may have demanded more before.
    return [{}] if answer is False or answer == "allow" else [{"approval": True}]
