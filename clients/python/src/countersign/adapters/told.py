"""What a framework hands to the model for a call that passed the gate."""

from __future__ import annotations

from typing import Any

from ..errors import CountersignError
from ..outcome import Outcome


def result_or_sentence(outcome: Outcome) -> Any:
    """The tool's result, or the sentence for the model. Raises what the tool itself raised."""
    if outcome.status == "failed" and not outcome.replayed:
        raise outcome.error
    if outcome.status == "succeeded" and outcome.no_result is None:
        return noted(outcome.result, outcome.model_message)
    return outcome.model_message


def noted(result: Any, note: str | None) -> Any:
    """Where a person changed the call, the model has to know. Other types than text stay theirs."""
    return f"{result}\n\n{note}" if note is not None and isinstance(result, str) else result


def missing(package: str, error: ImportError) -> CountersignError:
    made = CountersignError(
        "peer_missing", f"{package} is not installed", hint=f"pip install {package}"
    )
    made.__cause__ = error
    return made
