"""A cart, and what is in it."""

from dataclasses import dataclass, field

from shop.prices import price_of

MOST_ITEMS = 50


@dataclass
class Item:
    """One thing that somebody wants to buy."""

    name: str
    count: int = 1


@dataclass
class Cart:
    """Everything that one customer wants to buy."""

    customer: str
    items: list[Item] = field(default_factory=list)

    def add(self, name, count=1):
        """Put something into the cart."""
        if count < 1:
            raise ValueError("nothing to add")
        for item in self.items:
            if item.name == name:
                item.count += count
                return item
        item = Item(name, count)
        self.items.append(item)
        return item

    def remove(self, name):
        """Take something out of the cart."""
        self.items = [item for item in self.items if item.name != name]

    def total(self):
        """What all of it costs."""
        return sum(price_of(item.name) * item.count for item in self.items)

    def is_full(self):
        """Whether nothing more fits in."""
        return sum(item.count for item in self.items) >= MOST_ITEMS


def merge(one, other):
    """One cart from two of the same customer."""
    if one.customer != other.customer:
        raise ValueError("two customers")
    made = Cart(one.customer)
    for item in one.items + other.items:
        made.add(item.name, item.count)
    return made


def summary(cart):
    """A cart as a line of text."""
    names = ", ".join(f"{item.count} {item.name}" for item in cart.items)
    return f"{cart.customer}: {names}"
