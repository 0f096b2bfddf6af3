"""Ten sets of plans as teams meet them: each says what the situation is and what an expert wants; then it is judged."""

from volition.governance import EvaluationOutcome, Plan, coordinate, evaluate, gather
from volition.governance.documents.loading import Loaded


def monorepo() -> Loaded:
    """The linter is raised in every package, while two teams work in their own packages.

    Wanted: the one file that two of them write, packages/cart/package.json, is asked about, with both orders among the
    options. The two files named src/index.ts lie in different packages and are no conflict.
    """
    return gather([
        Plan("Raise the linter", files=["packages/*/package.json"],
             commands=["raise_linter: write: raise its version"]),
        Plan("Round the totals", root="packages/cart", files=["package.json", "src/index.ts"],
             commands=["round_totals: write: add a library for decimals to package.json, and use it in index.ts"]),
        Plan("Sort the shelves", root="packages/shop", files=["src/index.ts"],
             commands=["sort_shelves: write: sort what index.ts lists"]),
    ])  # fmt: skip


def terraform() -> Loaded:
    """Three applies in one Terraform folder, and one in another.

    Wanted: the three share a state, so at most one at a time: keep one, or all one after the other. The other folder
    has its own state and is free.
    """
    return gather([
        Plan("Widen the network", files=["infra/shop/network.tf"],
             commands=["apply_network: deploy: apply network.tf"]),
        Plan("Move the names", files=["infra/shop/dns.tf"], commands=["apply_names: deploy: apply dns.tf"]),
        Plan("Grow the database", files=["infra/shop/database.tf"],
             commands=["apply_database: deploy: apply database.tf"]),
        Plan("Open the blog", files=["infra/blog/network.tf"], commands=["apply_blog: deploy: apply network.tf"]),
    ], env="staging")  # fmt: skip


def freeze() -> Loaded:
    """Sources and deployments are frozen for a release; somebody wants to deploy; two writers mend the runbook.

    Wanted: freeze or deploy is for a person, and waiting for the freeze to end is no option, since it has no work that
    ends. What the runbook says about deploying, rolling back and deleting is only text: its two places share a file.
    """
    return gather([
        Plan("Freeze for the release", lock=["src", "deploy"]),
        Plan("Deploy the checkout", files=["deploy/checkout.yaml"], modules=["service:checkout"],
             commands=["deploy_checkout: deploy: deploy version 8"]),
        Plan("Say how to deploy", files=["docs/runbook.md#L1-L40"],
             commands=["say_deploy: write: how to deploy the checkout"]),
        Plan("Say how to go back", files=["docs/runbook.md#L60-L90"],
             commands=["say_rollback: write: how to roll the checkout back and delete its old images"]),
    ], env="staging")  # fmt: skip


def migrations() -> Loaded:
    """A chain: a column is added, then filled, then the service that reads it is deployed.

    Wanted: the migrations share a folder, and the second says that it comes after the first, so nobody is asked; all are
    kept in the declared order, and the deploy comes last.
    """
    column = Plan(
        "Add the column", files=["db/migrations/0007_column.sql"], commands=["add_column: create: add it, empty"]
    )
    fill = Plan("Fill the column", files=["db/migrations/0008_fill.sql"], depends_on=[column.id],
                commands=["fill_column: create: fill it from the orders"])  # fmt: skip
    deploy = Plan("Read the column", modules=["service:orders"], depends_on=[fill.id],
                  commands=["deploy_orders: deploy: deploy the version that reads it"])  # fmt: skip
    return gather([deploy, fill, column], env="staging")


def clients() -> Loaded:
    """An API changes, and two clients are generated from its schema.

    Wanted: the schema first, then both clients, which do not wait for each other.
    """
    return gather([
        Plan("Generate for Python", files=["clients/python"], reads=["api/openapi.yaml"],
             commands=["generate_python: create+write: generate the client from openapi.yaml"]),
        Plan("Generate for the web", files=["clients/web"],
             commands=["generate_web: create+write: generate the client from api/openapi.yaml"]),
        Plan("Page the orders", files=["api/openapi.yaml"], commands=["page_orders: write: give the orders pages"]),
    ])  # fmt: skip


def parts() -> Loaded:
    """One part of a file is refactored, while another part gets a feature.

    Wanted: both at the same time; the result says that they share the file.
    """
    return gather([
        Plan("Split the total", files=["src/cart.py#Cart.total", "src/cart.py#price"],
             commands=["split_total: write: move the discounts into a function"]),
        Plan("Limit the amounts", files=["src/cart.py#Cart.add", "tests/test_amounts.py"],
             commands=["limit_amounts: create+write: refuse more than a hundred, with tests"]),
    ])  # fmt: skip


def rename() -> Loaded:
    """A method gets another name, while somebody writes a new caller, and somebody measures it.

    Wanted: git would merge the rename and the caller, and the result would break; no order mends that, so one of the
    two is chosen. The measurement only reads, and comes first.
    """
    return gather([
        Plan("Rename the total", files=["src/cart.py#Cart.total"],
             renames={"src/cart.py#Cart.total": "src/cart.py#Cart.sum"},
             commands=["rename_total: write: call it sum"]),
        Plan("Print receipts", files=["src/receipt.py"], reads=["src/cart.py#Cart.total"],
             commands=["print_receipts: create: print what Cart.total says"]),
        Plan("Measure the cart", reads=["src/cart.py"],
             commands=["measure_cart: read: measure how long the cart takes"]),
    ])  # fmt: skip


def lost_migration() -> Loaded:
    """Two migrations contest a folder, the less risky one wins, and a deploy depends on the other.

    Wanted: nobody deploys without the migration: that is said first, and a person drops the deploy, keeps its migration
    instead, or goes on without it.
    """
    split = Plan("Split the names", files=["db/migrations/0009_names.sql"], risk="high",
                 commands=["split_names: create: split names into first and last"])  # fmt: skip
    return gather([
        split,
        Plan("Index the mail", files=["db/migrations/0009_mail.sql"], risk="low",
             commands=["index_mail: create: add the index"]),
        Plan("Greet by first name", modules=["service:mailer"], depends_on=[split.id],
             commands=["deploy_mailer: deploy: deploy the mailer that greets by first name"]),
    ], env="staging")  # fmt: skip


def lock() -> Loaded:
    """Somebody has locked a folder to change its rates; one formatter goes over all of Python, another over the texts.

    Wanted: the first formatter would write in the locked folder, and comes after. The other one is free.
    """
    return gather([
        Plan("Change the rates", files=["src/billing/rates.toml"], lock=["src/billing"],
             commands=["change_rates: write: the rates of the new year"]),
        Plan("Format the code", files=["**/*.py"], commands=["format_code: write: format every module"]),
        Plan("Format the texts", files=["docs/**/*.md"], commands=["format_texts: write: wrap every page"]),
    ])  # fmt: skip


def deletion() -> Loaded:
    """An old package is deleted, while somebody analyses it and somebody writes a guide for those who used it.

    Wanted: both look at it before it is gone, and nobody is asked.
    """
    return gather([
        Plan("Delete the old API", removes=["src/legacy"], files=["src/legacy"],
             commands=["delete_legacy: delete: delete the package"]),
        Plan("Count its callers", reads=["src/legacy"], commands=["count_callers: read: count who calls the package"]),
        Plan("Write a guide", files=["docs/moving.md"], evidence=["file://src/legacy/api.py"],
             commands=["write_guide: create: say what replaces each call"]),
    ])  # fmt: skip


SETS = (monorepo, terraform, freeze, migrations, clients, parts, rename, lost_migration, lock, deletion)


def short(text: str) -> str:
    """A text of an evaluation with shorter ids."""
    return text.replace("intent_", "")


def tell(outcome: EvaluationOutcome) -> None:
    """An evaluation in a few lines: what is missing, the conflicts, and the order of the work or the questions."""
    for missing in outcome.result.missing:
        print(f"  missing: {short(missing.because)}")
    for conflict in outcome.conflicts:
        names = short(", ".join(conflict.intent_ids))
        print(f"  {conflict.severity} {conflict.type} on {conflict.resource_ref}: {names}")
    if outcome.merged_intent is not None:
        graph = coordinate(outcome.merged_intent)
        commands = {node.node_id: node.command_id for node in graph.nodes}
        print("  in order:" if graph.edges else "  in any order:", ", ".join(commands.values()))
        for edge in graph.edges:
            print(f"    {commands[edge.after]} waits for {commands[edge.before]}")
    for question in outcome.questions:
        print(f"  {short(question.condition)}")
        for option in question.options:
            print(f"    {short(option.label)}")


if __name__ == "__main__":
    for make in SETS:
        evaluated = evaluate(make())
        print(f"{make.__name__}: {evaluated.strategy}")
        tell(evaluated)
