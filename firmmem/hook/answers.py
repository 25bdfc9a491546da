"""What a hook writes for its host: JSON where the host reads JSON, plain text elsewhere."""

import json

from firmmem.hook.events import Event


def format_answer(event: Event, context: str, message: str) -> str:
    """Return what goes to stdout: `context` reaches the model, `message` the person; nothing where there is neither."""
    if not event.name:
        return f"{context}\n" if context else ""
    if event.host == "cursor":
        return json.dumps({"additional_context": context}) + "\n" if context else ""
    said: dict[str, object] = {}
    if context:
        said["hookSpecificOutput"] = {"hookEventName": event.name, "additionalContext": context}
    if message:
        said["systemMessage"] = message
    return json.dumps(said, ensure_ascii=True) + "\n" if said else ""


def format_block(event: Event, reason: str) -> str:
    """Return what asks the agent to go on with something before it stops; hosts without JSON can't be asked."""
    return json.dumps({"decision": "block", "reason": reason}) + "\n" if event.name else ""
