"""The checks of the configuration, before the connector starts."""

from .example import STOCK, WAREHOUSES


def find_problems():
    """Returns a sentence for each problem; the connector does not start with one.

    Check here what an order would fail on later: the ERP responds, its version is known, its user has the rights, each
    warehouse exists.
    """
    known = {warehouse["warehouse_code"] for warehouse in WAREHOUSES}
    return [
        f"There is stock in {code}, which is not a warehouse. Add the warehouse, or leave the stock out."
        for code in STOCK
        if code not in known
    ]
