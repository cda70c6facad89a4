"""The HTTP protocol: one POST for each operation, a bearer token, JSON in and out."""

import hashlib
import hmac
import json
import socket
import traceback
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from .rejected import Rejected
from .schema import Invalid, check, load_inputs

MAX_BODY_BYTES = 4 * 1024 * 1024
# A larger body is read and thrown away up to this size, so that its sender can read the response.
MAX_DISCARDED_BYTES = 64 * 1024 * 1024
CHUNK_BYTES = 64 * 1024
# An idle connection is closed after this many seconds.
IDLE_SECONDS = 65


class Refused(Exception):
    """A request that is refused before any operation runs: the HTTP status and a sentence."""

    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


def create_server(address, token, operations, log):
    """Returns a server of `operations`, functions by id that take the input as a dict and return the result as one.

    `log(event, **details)` is called for every exception of an operation. The caller only learns that the call failed.
    """
    inputs = load_inputs()
    expected = digest(token)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = IDLE_SECONDS
        # Head and body leave in one packet: otherwise the operating system holds the body back for 40 ms.
        wbufsize = -1
        disable_nagle_algorithm = True

        def do_POST(self):
            try:
                self.send(200, self.call())
            except Refused as refusal:
                self.send(refusal.status, {"failed": str(refusal)})
            except ConnectionError:
                self.close_connection = True
            except Exception as error:
                trace = "".join(traceback.format_exception(error))
                log("operation failed", operation=self.path[:100], error=trace)
                self.send(500, {"failed": "The ERP failed. See the log of the connector."})

        def call(self):
            authorised = is_authorised(self.headers.get("Authorization", ""), expected)
            # Without the token nothing is kept in memory.
            body = self.read_body(MAX_BODY_BYTES if authorised else 0)
            if not authorised:
                raise Refused(401, "Send Authorization: Bearer <UPSTREAM_TOKEN>.")
            operation = self.path[1:]
            if operation not in operations:
                raise Refused(404, f"There is no operation POST /{operation[:100]}.")
            if body is None:
                raise Refused(413, f"A request has at most {MAX_BODY_BYTES} bytes.")
            value = parse(body)
            try:
                check(inputs[operation], value)
            except Invalid as problem:
                raise Refused(400, f"Malformed input of {operation}: {problem}") from None
            try:
                return {"ok": operations[operation](value)}
            except Rejected as refusal:
                return {"rejected": refusal.answer}

        def read_body(self, max_bytes):
            """Returns the body, or None if it is larger. It is read in any case, so that the connection can be kept."""
            length = self.headers.get("Content-Length", "")
            if not (length.isascii() and length.isdigit()):
                self.close_connection = True
                raise Refused(411, "Send Content-Length: a body in chunks is not read.")
            size = int(length)
            if size <= max_bytes:
                body = self.rfile.read(size)
                if len(body) < size:
                    raise ConnectionError("The connection ended in the middle of the body.")
                return body
            self.close_connection = size > MAX_DISCARDED_BYTES
            left = min(size, MAX_DISCARDED_BYTES)
            while left > 0:
                chunk = self.rfile.read(min(left, CHUNK_BYTES))
                if not chunk:
                    raise ConnectionError("The connection ended in the middle of the body.")
                left -= len(chunk)
            return None

        def send(self, status, body):
            data = json.dumps(body).encode()
            try:
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                # A client that reads this sends its next call on another connection.
                if self.close_connection or self.server.is_stopping:
                    self.send_header("Connection", "close")
                self.end_headers()
                self.wfile.write(data)
                self.wfile.flush()
            except ConnectionError:
                self.close_connection = True

        def send_error(self, code, message=None, explain=None):
            """Sends the errors of the HTTP server itself as JSON, too. Another method than POST is not allowed."""
            self.close_connection = True
            status = 405 if code == 501 else code
            self.send(status, {"failed": message or self.responses.get(status, ("The request failed.",))[0]})

        def log_message(self, *_):
            """Keeps quiet about each request: the gateway logs its calls."""

    class Server(ThreadingHTTPServer):
        # server_close waits for the threads, so that no call is cut in the middle.
        daemon_threads = False
        request_queue_size = 128
        is_stopping = False
        connections = set()

        def process_request(self, request, client_address):
            self.connections.add(request)
            super().process_request(request, client_address)

        def shutdown_request(self, request):
            self.connections.discard(request)
            super().shutdown_request(request)

        def server_close(self):
            """Closes each connection after the call that is running on it, and returns when all are closed."""
            self.is_stopping = True
            for connection in self.connections.copy():
                # A thread that waits for a request reads the end of the connection; a response can still be written.
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RD)
            super().server_close()

        def handle_error(self, request, client_address):
            """Keeps quiet about connections that broke. An exception of an operation was logged before."""

    return Server(address, Handler)


def digest(text):
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).digest()


def is_authorised(header, expected):
    """Whether the header carries the token. The digests are compared in constant time."""
    scheme, _, token = header.partition(" ")
    return scheme.lower() == "bearer" and hmac.compare_digest(digest(token), expected)


def parse(body):
    def refuse(word):
        raise ValueError(f"{word} is not JSON")

    try:
        return json.loads(body.decode("utf-8"), parse_constant=refuse)
    except (ValueError, RecursionError):
        raise Refused(400, "The body is not JSON.") from None
