"""The orders.

Replace all operations but `hold`, `release` and `settle` together: the gateway requires them for an order. Those three
follow with the capabilities `holds` and `settles`.
"""

from .rejected import Rejected


def refuse(_):
    raise Rejected("not_supported", "This connector takes no orders yet.")


OPERATIONS = {
    "quote": refuse,
    "hold": refuse,
    "release": refuse,
    "submit": refuse,
    "void": refuse,
    "lookup": refuse,
    "settle": refuse,
    "documents.changed": refuse,
    "documents.read": refuse,
}
