"""The warehouses that sell. Leave out transit locations, scrap and closed places."""

from .example import WAREHOUSES


def warehouses(_):
    return {"warehouses": WAREHOUSES}


OPERATIONS = {"warehouses": warehouses}
