import http.client
import json
import threading
import unittest

from connector.operations import OPERATIONS
from connector.pages import take_page
from connector.schema import load_inputs
from connector.server import MAX_BODY_BYTES, create_server

TOKEN = "the-token-of-the-test"
POLL_SECONDS = 0.02


class ServedTest(unittest.TestCase):
    """Runs the connector on a free port. These tests hold for every ERP."""

    def setUp(self):
        self.failures = []
        broken = {**OPERATIONS, "describe": lambda _: 1 / 0}
        self.servers = [
            create_server(("127.0.0.1", 0), TOKEN, operations, lambda event, **more: self.failures.append(more))
            for operations in (OPERATIONS, broken)
        ]
        for server in self.servers:
            threading.Thread(target=server.serve_forever, args=(POLL_SECONDS,), daemon=True).start()

    def tearDown(self):
        for server in self.servers:
            server.shutdown()
            server.server_close()

    def call(self, operation, value=None, token=TOKEN, server=0, body=None):
        connection = http.client.HTTPConnection(*self.servers[server].server_address[:2], timeout=10)
        data = json.dumps({} if value is None else value) if body is None else body
        connection.request("POST", f"/{operation}", data, {"Authorization": f"Bearer {token}"})
        response = connection.getresponse()
        result = response.status, json.loads(response.read())
        connection.close()
        return result

    def test_a_wrong_token_is_refused(self):
        for token in ("", "wrong", TOKEN + "x", TOKEN[:-1]):
            self.assertEqual(self.call("describe", token=token)[0], 401)

    def test_malformed_calls_are_refused(self):
        self.assertEqual(self.call("no.such.operation")[0], 404)
        self.assertEqual(self.call("describe", body="{")[0], 400)
        self.assertEqual(self.call("describe", body='{"a": NaN}')[0], 400)
        self.assertEqual(self.call("void", {"reference": "ord-1\n"})[0], 400)
        self.assertEqual(self.call("stock.snapshot", {"warehouse_code": "MAIN", "after": None, "limit": True})[0], 400)
        self.assertEqual(self.call("describe", {"padding": "x" * MAX_BODY_BYTES})[0], 413)

    def test_an_exception_is_an_unknown_outcome_and_logged(self):
        self.assertEqual(self.call("describe", server=1)[0], 500)
        self.assertIn("ZeroDivisionError", self.failures[0]["error"])


class TableTest(unittest.TestCase):
    def test_every_operation_of_the_protocol_exists(self):
        self.assertEqual(OPERATIONS.keys(), load_inputs().keys())

    def test_a_page_is_ascending_by_bytes_whatever_the_order_of_the_rows(self):
        rows = [{"sku": sku} for sku in ("b", "\U0001f600", "a", "\uff5e", "B")]
        part, following = take_page(rows, "sku", None, 10)
        self.assertEqual([row["sku"] for row in part], ["B", "a", "b", "\uff5e", "\U0001f600"])
        self.assertIsNone(following)
        self.assertEqual(take_page(rows, "sku", "C", 2)[1], "b")


if __name__ == "__main__":
    unittest.main()
