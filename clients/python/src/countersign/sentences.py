"""What the model reads for every way out that is not a result.

Each says whether the call ran, and none invites another attempt. The sentences are those of the
gate in TypeScript; a test compares them.
"""

from __future__ import annotations

import json
import re

NAME = re.compile(r"[A-Za-z0-9_.-]{1,128}\Z")

_ENOUGH = "Do not call it again for this request."
_ASK_USER = "Do not call it again unless the user asks for it."

_SENTENCES = {
    "policy": f"{{call}} is not allowed by policy and did not run.{{why}} {_ENOUGH}",
    "withdrawn": f"{{call}} was withdrawn before anything happened and did not run. {_ASK_USER}",
    "pending": "{call} waits for a person to approve it{approval} and has not run. "
    "Do not call it again; its answer comes by itself.",
    "running_elsewhere": "{call} is already running elsewhere{approval}, and its outcome is not "
    "known here yet. Do not call it again.",
    "unknown": "{call} was started{approval}, and nobody knows whether it took effect.{why} "
    "Do not call it again; a person has to look.",
    "not_started": f"{{call}} could not be started and did not run.{{why}} {_ASK_USER}",
    "key_reused": f"{{call}} reuses the key of another call and did not run. {_ENOUGH}",
    "invalid": "{call} was not understood and did not run.{why} "
    "Correct its arguments before calling it.",
    "refused": f"{{call}} was refused and did not run.{{why}} {_ENOUGH}",
    "unavailable": "{call} could not be checked, because approvals are unavailable, so this "
    f"attempt ran nothing. {_ASK_USER}",
    "unauthorized": "{call} could not be checked, because the Countersign server does not accept "
    "the token of this program, so this attempt ran nothing. Whoever runs the program makes a new "
    f"one with `countersign token create`. {_ASK_USER}",
    "failed": "{call} ran and failed.{why}",
}

SENTENCE_NAMES = tuple(_SENTENCES)

#: The model reads exactly this under `deny_all()`.
DENIED_BY_MODE = json.dumps(
    {"status": "cancelled", "message": "Tool execution denied by policy"}, separators=(",", ":")
)

_OF_CODES = {
    "denied_by_policy": "policy",
    "withdrawn": "withdrawn",
    "not_started": "not_started",
    "key_reused": "key_reused",
    "token_unknown": "unauthorized",
    "too_many_requests": "unavailable",
    "server_unreachable": "unavailable",
}


def sentence(
    name: str, tool: str, *, approval_id: str | None = None, reason: str | None = None
) -> str:
    text = (reason or "").strip()
    ending = "" if text.endswith((".", "!", "?", "…")) else "."
    return _SENTENCES[name].format(
        # A name that is none came from a model and is not repeated to it as if it were ours.
        call=f"The call to {tool}" if NAME.match(tool) else "The call",
        why=f" Reason: {text}{ending}" if text else "",
        approval="" if approval_id is None else f" (approval {approval_id})",
    )


def sentence_of(code: str, http_status: int) -> str:
    """The name of the sentence for a refusal with this code and HTTP status."""
    own = _OF_CODES.get(code)
    if own is not None:
        return own
    if http_status in (0, 400, 413):
        return "invalid"
    return "unavailable" if http_status == 401 or http_status >= 500 else "refused"
