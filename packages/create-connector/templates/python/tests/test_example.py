"""The stock of the example. Replace this file when `connector/example.py` goes."""

import unittest

from connector.operations import OPERATIONS
from connector.rejected import Rejected


class ExampleTest(unittest.TestCase):
    def test_stock_is_read_by_page_and_by_sku(self):
        page = OPERATIONS["stock.snapshot"]({"warehouse_code": "MAIN", "after": "CAP", "limit": 2})
        self.assertEqual([row["sku"] for row in page["rows"]], ["TEE-L", "TEE-M"])
        self.assertEqual(page["next"], "TEE-M")
        read = OPERATIONS["stock.read"]({"warehouse_code": "MAIN", "skus": ["TEE-M", "NO-SUCH-SKU"]})
        self.assertEqual([row["sku"] for row in read["rows"]], ["TEE-M"])

    def test_an_unknown_warehouse_is_refused(self):
        with self.assertRaises(Rejected) as refused:
            OPERATIONS["stock.read"]({"warehouse_code": "NOWHERE", "skus": ["TEE-M"]})
        self.assertEqual(refused.exception.answer["reason"], "not_found")


if __name__ == "__main__":
    unittest.main()
