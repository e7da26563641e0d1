"""A Python function as a tool: its arguments by name, there and back."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from .errors import CountersignError, NotStarted
from .sentences import NAME


class Signature:
    def __init__(self, function: Callable[..., Any], name: str) -> None:
        self._name = name
        self._signature = inspect.signature(function)
        kinds = {one.kind for one in self._signature.parameters.values()}
        if inspect.Parameter.VAR_POSITIONAL in kinds:
            raise CountersignError(
                "usage",
                f"the tool {name} takes any number of unnamed arguments",
                hint="Give each argument a name: rules and people know arguments by it.",
            )

    def arguments(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        """As they were passed. What was left out is the tool's own default, and part of the tool."""
        given: dict[str, Any] = {}
        for name, value in self._signature.bind(*args, **kwargs).arguments.items():
            if self._signature.parameters[name].kind is inspect.Parameter.VAR_KEYWORD:
                if not given.keys().isdisjoint(value):
                    raise CountersignError("invalid_call", "two arguments have the same name")
                given.update(value)
            else:
                given[name] = value
        return given

    def call(self, function: Callable[..., Any], args: dict[str, Any]) -> Any:
        """With the arguments that people approved. Those that do not fit start nothing."""
        rest = dict(args)
        positional = []
        for name, parameter in self._signature.parameters.items():
            if parameter.kind is inspect.Parameter.POSITIONAL_ONLY and name in rest:
                positional.append(rest.pop(name))
        try:
            bound = self._signature.bind(*positional, **rest)
        except TypeError as error:
            raise NotStarted(f"the arguments do not fit the tool: {error}") from error
        return function(*bound.args, **bound.kwargs)


def check_name(name: Any) -> str:
    if not isinstance(name, str) or not NAME.match(name):
        raise CountersignError(
            "usage",
            "a tool needs a name",
            hint="Use 1 to 128 of the characters A-Z a-z 0-9 _ . -",
        )
    return name
