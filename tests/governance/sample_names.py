"""What random intents are made of: few resources, spelled in many ways, and words that say what a command does."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from volition.governance.documents.intent import Effect, Level, LockMode, Mode, Phase

IDS = ("intent_aaaaaa", "intent_aaaaaab", *(f"intent_{letter * 6}" for letter in "bcdefghijklmnopqrs"))
PATHS = (
    "src/a.py",
    "./src/a.py",
    "/src//a.py",
    "src/x/../a.py",
    "src",
    "src/",
    "src/b.py",
    "src2/a.py",
    "a.py",
    "src/a.py/deep",
    "/home/me/shop/src/a.py",
    "/home/me//shop/",
    "/home/me/shop",
    "a..py",
    ".",
    "src\\a.py",
    ".\\src\\x\\",
    "shop/cart.py",
    "shop/cart/__init__.py",
    "src/shop/cart.py",
    "src/main/java/shop/cart.java",
    "shop",
    "SRC/A.py",
    "lib/pay.py",
    "lib/shop/cart.py",
    "lib/shop/cart/__init__.py",
    "lib/shop/cart/items.py",
    "deploy/api.yaml",
)
PATTERNS = (
    "*.md",
    "*.py",
    "src/*.py",
    "src/**",
    "**",
    "src/{a,b}.py",
    "src/[ab].py",
    "src/[!a].py",
    "src/?.py",
    "SRC/[A-Z].py",
    "**/a.py",
    "**/*.py",
    "src/*/a.py",
    "packages/*/package.json",
    "packages/cart/*",
    "shop/cart.{py,pyi}",
    "{shop,lib/shop}/cart*",
    "services/*/a.py",
)
PARTS = (
    "src/a.py#Cart",
    "src/a.py#Cart.add",
    "src/a.py#Cart::add",
    "src/a.py#Order",
    "./src/a.py#cart",
    "src/a.py#L1-L9",
    "src/a.py#L5-20",
    "src/a.py#L7",
    "src/a.py#L30-L40",
    "src/b.py#Cart",
    "shop/cart.py#Cart",
    "lib/shop/cart.py#Cart",
    "src/*.py#Cart",
    "a.py#Cart",
)
EXCLUSIVE = (
    "infra/main.tf",
    "infra/vars.tf",
    "infra/*.tf",
    "infra/prod/main.tfvars",
    "db/migrations/0001.sql",
    "db/migrations/0002.sql",
    "db/migrations/*",
    "db/Migrations/0003.sql",
    "db",
)
ROOTED = ("services/x/a.py", "services/x", "services/x/src/a.py", "/services/x/src/a.py", "services/y/a.py", "services")
GROUPS = (PATHS,) * 5 + (PATTERNS,) * 2 + (PARTS,) * 2 + (EXCLUSIVE, ROOTED)
ABSENT = ("intent_absent_one", "intent_absent_two")
"""Plans that are in no set."""
FILES = (*PATHS, *PATTERNS, *PARTS, *EXCLUSIVE, *ROOTED)
ROOTS = (".",) * 5 + ("/home/me/shop", "/home/me/./shop/", "/", "services/x", "services/x", "./services/x/", "services")
MODULES = (
    "shop",
    "shop.cart",
    "shop.cart.items",
    "shopping",
    "service:api",
    "service:api.v2",
    "service:billing",
    "api",
    "src.a",
    "pay",
    "Shop.Cart",
    "packages/cart",
    "services/x/shop.cart",
    "lib/shop\\cart",
)
SAID = ("Cart", "Cart.add", "L1-L9", "a.py", "a.py#Cart", "package.json", "packages/cart", "services/x/src")
"""What texts name beside files and modules."""
VERBS = (
    *(
        "analyze",
        "update",
        "deploy",
        "Deploys",
        "redeploy",
        "deployment",
        "rollback",
        "roll back",
        "Rolls back",
        "revert",
    ),
    *(
        "create",
        "recreate",
        "add",
        "generate",
        "delete",
        "Deleting",
        "undelete",
        "remove",
        "removed",
        "drop",
        "restore",
    ),
    *(
        "do not delete",
        "never ever deploy",
        "don't remove",
        "not only create",
        "do not remove or delete",
        "no, delete",
        "without rolling back",
        "instead of deploying",
    ),
)
EFFECTS: tuple[Effect, ...] = (
    "read",
    "read",
    "network",
    "write",
    "write",
    "data",
    "security",
    "deploy",
    "create",
    "delete",
    "rollback",
)
COMMANDS = ("make_schema", "make_client", "deploy_api", "rollback_api", "delete_rows", "create_rows", "check_all")
ARTIFACTS = ("schema", "client", "src/a.py", "licence")
PIECES = (
    *(
        "src",
        "src2",
        "x",
        "a.py",
        "a..py",
        "b.py",
        "deep",
        "shop",
        "x.md",
        "cart",
        "items",
        "api",
        "v2",
        "billing",
        "deploy",
        "Cart",
        "services",
    ),
    *(
        "/",
        "/",
        "/",
        "//",
        "://",
        ".",
        ".",
        "..",
        "./",
        "../",
        " ",
        ":",
        "#",
        "(",
        ")",
        ",",
        "-",
        "_",
        "*",
        "\n",
        "é",
        "\\",
        "service:",
    ),
)
"""What texts and references are made of where they are made of anything."""
PHASES: tuple[Phase, ...] = ("analysis", "design", "implementation", "validation", "release")
LEVELS: tuple[Level, ...] = ("low", "medium", "high", "critical")
CALM: tuple[Effect, ...] = ("read", "network")
MODES: tuple[Mode, ...] = ("interactive", "semi_auto", "full_auto")
LOCKS: tuple[LockMode, ...] = ("none", "files", "task")
MOMENTS = (
    "2026-01-25T10:00:00Z",
    "2026-01-25T12:00:00+02:00",
    "2026-01-25T10:00:00.5Z",
    "2026-01-25T10:00:00.45Z",
    "2026-01-25T10:00:00.500Z",
    "2026-01-25T09:59:59-00:01",
)
