"""The figures of a warehouse. Snapshot and read must build them from the same query, or they disagree."""

from .example import STOCK
from .hints import without_hints
from .pages import take_page
from .rejected import Rejected


def figures_of(warehouse_code):
    if warehouse_code not in STOCK:
        raise Rejected("not_found", f"There is no warehouse {warehouse_code}.")
    return STOCK[warehouse_code]


def snapshot(request):
    rows, following = take_page(figures_of(request["warehouse_code"]), "sku", request["after"], request["limit"])
    return {"rows": rows, "next": following, "stock_seq": None}


def read(request):
    wanted = set(request["skus"])
    rows = [row for row in figures_of(request["warehouse_code"]) if row["sku"] in wanted]
    return {"rows": rows, "stock_seq": None}


def changed(request):
    figures_of(request["warehouse_code"])
    return {**without_hints(request["cursor"]), "skus": []}


OPERATIONS = {"stock.snapshot": snapshot, "stock.read": read, "stock.changed": changed}
