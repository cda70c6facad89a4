"""The statements of customers. Replace the five operations together, and set the capability `ledger`."""

from .rejected import Rejected


def refuse(_):
    raise Rejected("not_supported", "This connector reads no accounts yet.")


OPERATIONS = {
    "balances": refuse,
    "transactions": refuse,
    "bills": refuse,
    "refunds": refuse,
    "freight_bills": refuse,
}
