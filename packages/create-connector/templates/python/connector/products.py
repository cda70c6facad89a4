"""The catalogue: styles with their SKUs. Every SKU that has stock must be in the style of its `product_code`."""

from .example import PRODUCTS
from .hints import without_hints
from .pages import take_page


def snapshot(request):
    products, following = take_page(PRODUCTS, "product_code", request["after"], request["limit"])
    return {"products": products, "next": following}


def read(request):
    wanted = set(request["product_codes"])
    return {"products": [product for product in PRODUCTS if product["product_code"] in wanted]}


def changed(request):
    return {**without_hints(request["cursor"]), "product_codes": []}


OPERATIONS = {"products.snapshot": snapshot, "products.read": read, "products.changed": changed}
