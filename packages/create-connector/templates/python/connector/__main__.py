"""Starts the connector: settings from the environment, one log line of JSON for each event."""

import json
import os
import signal
import sys
import threading

from .operations import OPERATIONS
from .server import create_server

WRONG_CONFIGURATION = 78
MAX_PORT = 65_535


def log(event, **details):
    print(json.dumps({"event": event, **details}), flush=True)


def read_settings(env):
    """Returns the token, the host and the port, or a sentence that says which setting is wrong."""
    token, port = env.get("UPSTREAM_TOKEN", ""), env.get("PORT", "18080")
    if not token:
        return "Set UPSTREAM_TOKEN to the token that the gateway will send."
    if not (port.isascii() and port.isdigit() and int(port) <= MAX_PORT):
        return f'PORT must be a number from 0 to {MAX_PORT}, not "{port}".'
    return token, env.get("HOST", "127.0.0.1"), int(port)


def main():
    settings = read_settings(os.environ)
    if isinstance(settings, str):
        print(settings, file=sys.stderr)
        return WRONG_CONFIGURATION
    token, host, port = settings
    server = create_server((host, port), token, OPERATIONS, log)
    for name in (signal.SIGINT, signal.SIGTERM):
        # shutdown waits for the loop that this thread runs, so another thread must call it.
        signal.signal(name, lambda *_: threading.Thread(target=server.shutdown).start())
    log("listening", url=f"http://{host}:{server.server_address[1]}")
    server.serve_forever()
    server.server_close()
    return 0


sys.exit(main())
