"""Pages of a list."""


def take_page(rows, key, after, limit):
    """Returns at most `limit` rows whose key is greater than `after`, and the key after which the next page starts.

    The order of Python's texts is that of their code points, which is the order of their UTF-8 bytes, as the gateway
    requires. If your ERP can sort by bytes and select "greater than after" by itself (in PostgreSQL: COLLATE "C"), let
    it do so: this function reads all rows for each page.
    """
    ordered = sorted(rows, key=lambda row: row[key])
    following = [row for row in ordered if after is None or row[key] > after]
    part = following[:limit]
    return part, part[-1][key] if len(following) > limit else None
