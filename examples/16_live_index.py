"""A live index: collisions are reported as soon as a plan arrives, before anybody starts to work."""

from typing import Any

from volition.governance import ConflictIndex, IntentDocument, Plan


def plan(title: str, *commands: str, **about: Any) -> IntentDocument:
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

# A plan can be checked without adding it, and again after another one is removed.
rename = plan("Rename the API", "rename_api: delete: remove the folder src/api", files=["src/api"])
print("\nif the API were renamed now:", ", ".join(f"{met.rule} ({met.severity})" for met in index.check(rename)))
index.remove("intent_tidy_the_routes")
print("without the routes' plan:", ", ".join(f"{met.rule} ({met.severity})" for met in index.check(rename)))
