"""What things cost."""

PRICES = {"apple": 40, "bread": 320, "cheese": 780}
TAX = 0.07


def price_of(name):
    """The price of one thing, in cents."""
    if name not in PRICES:
        raise KeyError(f"no price for {name}")
    return PRICES[name]


def with_tax(cents):
    """A price with the tax on it."""
    return round(cents * (1 + TAX))


def as_text(cents):
    """A price as it is printed."""
    return f"{cents / 100:.2f}"
