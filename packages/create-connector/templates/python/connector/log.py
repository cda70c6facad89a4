"""The log: one line of JSON for each event, on standard output."""

import json


def log(event, **details):
    """Writes an event. Use it for rows that you leave out, with the reason."""
    # In one piece with its end: calls in other threads write, too.
    print(json.dumps({"event": event, **details}) + "\n", end="", flush=True)
