"""Hints of what changed."""


def without_hints(cursor):
    """The hints of an ERP that cannot report what changed (`changes: none`).

    Without a cursor they are a first one, and for every cursor `everything: true`, so that the gateway compares the
    whole list. An ERP with a log of changes, or with times of changes, can do better: see "stock.changed" in the guide.
    """
    return {"cursor": "none", "everything": cursor is not None, "more": False}
