"""What the ERP can do.

A correct "no" makes the gateway slower or more careful; a wrong "yes" loses orders. Change a value only when the
operations behind it keep their rules.
"""

CAPABILITIES = {
    "dedupes_by_reference": False,
    "lookup": "none",
    "lookup_lag_ms": 0,
    "max_request_ms": 60_000,
    "changes": "none",
    "stock_seq": False,
    "holds": "none",
    "serialise": "everything",
    "ledger": False,
    "sign_in": False,
    "settles": False,
    "hint_lag_ms": 0,
    "allocates_from": "one",
    "max_lines": 500,
}


def describe(_):
    return {"name": "My ERP", "sandbox": False, "capabilities": CAPABILITIES}


OPERATIONS = {"describe": describe}
