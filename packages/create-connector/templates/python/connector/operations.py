"""All operations of the connector by id."""

from . import customers, describe, ledger, orders, products, shipping, stock, warehouses

OPERATIONS = {
    **describe.OPERATIONS,
    **warehouses.OPERATIONS,
    **stock.OPERATIONS,
    **products.OPERATIONS,
    **shipping.OPERATIONS,
    **customers.OPERATIONS,
    **orders.OPERATIONS,
    **ledger.OPERATIONS,
}
