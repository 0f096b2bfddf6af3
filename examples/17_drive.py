"""Driving a body: each intent that goes out gets exactly one outcome, and success is never assumed."""

from volition.execution import Hold, Move, PrimaryAttack, connect

with connect("embedded", seed=7) as body:  # or "java", "tcp://127.0.0.1:7777", "unix:arena.sock"
    welcome = body.welcome
    assert welcome is not None
    print(f"{welcome.executor.name} speaks contract {welcome.spec}, {len(welcome.intents)} intents")

    for intent in (Move((1, 0, 0)), PrimaryAttack(), Hold()):
        outcome = body.execute(intent, deadline=2.0)
        print(f"{intent.name:15} {outcome.status} {outcome.reason}: {outcome.label}")

    # An invalid intent is not sent: STOP goes in its place, and the caller learns why.
    outcome = body.execute("CAST_SPELL", {"if": "health > 10"})
    print(
        f"{'CAST_SPELL':15} {outcome.status} {outcome.reason}: {outcome.label}, nothing was sent: {outcome.sent is None}"
    )

    # The same failure again and again: after three retries the guard refuses to send it.
    for attempt in range(1, 7):
        outcome = body.execute(PrimaryAttack(), deadline=2.0)
        print(f"attack {attempt}: {outcome.reason}, {outcome.label}")
