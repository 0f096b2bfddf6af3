"""A live index: each plan is told at once with whom it would collide, before anybody starts to work."""

from typing import Any

from volition.governance import ConflictIndex, Intent, Plan


def plan(title: str, *commands: str, **about: Any) -> Intent:
    return Plan(title, commands=commands, **about).intent


index = ConflictIndex(env="staging")
for one in (
    plan("Tidy the routes", "tidy_routes: write: split the routes by topic", files=["src/api/routes.py"]),
    plan("Read the API", "read_api: read: list what the API offers", files=["src/api"]),
    plan("Deploy checkout", "deploy_checkout: deploy: deploy the service checkout", modules=["service:checkout"]),
    plan("Undo checkout", "undo_checkout: rollback: roll back the service checkout", modules=["service:checkout"]),
    plan("Write a manual", "write_manual: write: write the manual", files=["docs/manual.md"]),
):
    print(f"{one.id} comes in; {len(index)} plans are on their way")
    for met in index.add(one):
        print(f"  {met.severity}: {met.rule} on {met.resource} with {', '.join(met.intent_ids)}")

# To ask costs nothing: a plan can be checked before it is handed in, and again once another one is gone.
rename = plan("Rename the API", "rename_api: delete: remove the folder src/api", files=["src/api"])
print("\nif the API were renamed now:", ", ".join(f"{met.rule} ({met.severity})" for met in index.check(rename)))
index.remove("intent_tidy_the_routes")
print("without the routes' plan:", ", ".join(f"{met.rule} ({met.severity})" for met in index.check(rename)))
