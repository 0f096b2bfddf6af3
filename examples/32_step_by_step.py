"""Be a guest step by step: the introduction, offers in words, what you hear at the table, and what others took from it."""

from volition.drama import Evening, scenario

evening = Evening.begin(scenario("dinner-party"), 3, "victor")
page = evening.introduction()
assert page is not None
for line in page.lines()[:8]:
    print(line)

# A step is data: the menu in groups, the best first; what was heard; what others took from the act. It also has words.
step = evening.step()
for wish in ("ask:", "lie:", "talk:elena:", "", "", "ask:"):
    assert step.menu is not None
    wished = [id for id in step.menu.ids if wish and id.startswith(wish)]
    step = step.evening.step(wished[0] if wished else step.menu.ids[0])
    for heard in step.heard:
        for quote in heard.quotes:
            print(f"{heard.minutes:.0f}  {quote.speaker} to {quote.listener or 'all'}: {quote.text}")
    for reaction in step.taken:
        print(f"    {reaction.kind}: {reaction.words}")

print("\n" + step.scene)
for group in step.menu.best if step.menu is not None else ():
    print(" ", group)

# Every wish is in the record, so the evening can be verified, explained and forked like any other.
wishes = [wish for record in step.evening.run.ticks for wish in record.wishes.values()]
print(len(wishes), "wishes;", step.evening.verify(), "ticks are the same")
