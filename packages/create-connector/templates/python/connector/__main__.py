"""Starts the connector with settings from the environment."""

import os
import signal
import sys
import threading

from .check_configuration import find_problems
from .log import log
from .operations import OPERATIONS
from .server import create_server

WRONG_CONFIGURATION = 78
MAX_PORT = 65_535
# The longest time that running calls get to end after a signal.
MAX_STOP_SECONDS = 45


def find_wrong_settings(token, port):
    problems = []
    if not token:
        problems.append("Set UPSTREAM_TOKEN to the token that the gateway will send.")
    if not (port.isascii() and port.isdigit() and int(port) <= MAX_PORT):
        problems.append(f'PORT must be a number from 0 to {MAX_PORT}, not "{port}".')
    return problems


def main():
    token, port = os.environ.get("UPSTREAM_TOKEN", ""), os.environ.get("PORT", "18080")
    host = os.environ.get("HOST", "127.0.0.1")
    problems = find_wrong_settings(token, port) + find_problems()
    if problems:
        print("\n".join(problems), file=sys.stderr)
        return WRONG_CONFIGURATION
    server = create_server((host, int(port)), token, OPERATIONS, log)

    def stop(number, _):
        # A second signal ends the process at once.
        signal.signal(number, signal.SIG_DFL)
        # shutdown waits for the loop that this thread runs, so another thread must call it.
        threading.Thread(target=server.shutdown).start()

    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, stop)
    log("listening", url=f"http://{host}:{server.server_address[1]}")
    server.serve_forever()
    late = threading.Timer(MAX_STOP_SECONDS, os._exit, [1])
    late.daemon = True
    late.start()
    server.server_close()
    return 0


sys.exit(main())
