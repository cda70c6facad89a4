"""The refusal of a call."""


class Rejected(Exception):
    """A definite refusal: the call created and changed nothing.

    `reason` is one of `not_found`, `invalid_field`, `bad_credentials`, `session_expired`, `not_supported`,
    `insufficient_stock`, `insufficient_balance`, `sku_blocked`, `already_shipped`, `hold_expired`, `price_changed` and
    `invalid_state`. `message` is a sentence for people. `shortages` belongs to `insufficient_stock`. If you are not
    sure that nothing was changed, raise any other exception: the outcome is then unknown, and the gateway looks it up.
    """

    def __init__(self, reason, message, shortages=None):
        super().__init__(message)
        self.answer = {"reason": reason, "message": message}
        if shortages is not None:
            self.answer["shortages"] = shortages
