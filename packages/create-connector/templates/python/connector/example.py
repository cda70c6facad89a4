"""The data of the example, in place of an ERP.

Delete this file once `warehouses.py`, `stock.py` and `products.py` read your ERP. Amounts are whole minor units: 1900
is 19.00 AUD.
"""

WAREHOUSES = [
    {
        "warehouse_code": "MAIN",
        "name": "Main warehouse",
        "country_code": "AU",
        "timezone": "Australia/Sydney",
        "currency": "AUD",
        "status": "active",
    }
]

PRICES = {"price_wholesale": 1900, "price_retail": 4500}


def style(product_code, name, sizes):
    """A style with a SKU for each size, by the code of the SKU."""
    skus = [
        {"sku": sku, "barcode": None, "color": None, "size": size, "weight_g": None, **PRICES}
        for sku, size in sizes.items()
    ]
    return {
        "product_code": product_code,
        "names": {"en": name},
        "brand": None,
        "category": None,
        "season": None,
        "status": "active",
        "images": [],
        **PRICES,
        "currency": "AUD",
        "skus": skus,
        "updated_at": "2026-01-01T00:00:00Z",
    }


PRODUCTS = [
    style("TEE", "T-shirt", {"TEE-S": "S", "TEE-M": "M", "TEE-L": "L"}),
    style("CAP", "Cap", {"CAP": None}),
]

# The stock of each warehouse by its code, in no order, as a table of an ERP has it.
STOCK = {
    "MAIN": [
        {
            "sku": sku["sku"],
            "product_code": product["product_code"],
            "quantity_on_hand": 12,
            "quantity_available": 10,
            **PRICES,
            "currency": product["currency"],
            "incoming": [],
            "stock_seq": None,
        }
        for product in PRODUCTS
        for sku in product["skus"]
    ]
}
