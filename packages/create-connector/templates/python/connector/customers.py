"""The customers: their addresses, what they may order, and the sign-in of their accounts.

This connector knows no customer yet, and an unknown customer is refused with `not_found`.
"""

from .rejected import Rejected


def refuse_unknown(request):
    raise Rejected("not_found", f"There is no customer {request['customer_code']}.")


def sign_in(_):
    raise Rejected("not_supported", "This connector does not sign customers in.")


OPERATIONS = {"addresses": refuse_unknown, "sellable": refuse_unknown, "sign_in": sign_in}
