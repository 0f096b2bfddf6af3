package volition.executor.arena;

import volition.executor.JsonWriter;

/** Everything that can be observed in an arena, as JSON. */
final class ArenaState {
    private ArenaState() {}

    /** Writes the state; {@code full} adds the map. */
    static void write(JsonWriter out, Arena arena, boolean full) {
        out.object()
            .field("seq", arena.seq)
            .field("tick", arena.tick)
            .field("episode", arena.episode)
            .field("down", arena.down);
        actor(out, arena.actor);
        opponent(out, arena.opponent);
        out.array("open");
        for (int i = 0; i < arena.busy.open.size(); i++) {
            Busy.Task task = arena.busy.open.get(i);
            out.object().field("id", task.id).field("intent", task.intent).field("since", task.since).end();
        }
        out.end();
        if (full) {
            out.object("map").field("name", arena.ground.name).array("rows");
            arena.ground.rows.forEach(out::value);
            out.end().end();
        }
        out.end();
    }

    private static void actor(JsonWriter out, Actor actor) {
        out.object("actor")
            .field("x", actor.x)
            .field("y", actor.y)
            .field("z", actor.z)
            .field("facing", actor.facing.word);
        out.array("velocity").value(actor.velocityX).value(actor.velocityY).value(actor.velocityZ).end();
        out.field("alive", actor.isAlive())
            .field("health", actor.health)
            .field("stamina", actor.stamina)
            .field("holding", actor.holding)
            .field("dashing", actor.dashing)
            .field("air", actor.air);
        out.object("cooldowns")
            .field("attack", actor.attackWait)
            .field("evade", actor.evadeWait)
            .field("jump", actor.jumpWait)
            .end();
        out.field("damage_dealt", actor.damageDealt).field("damage_received", actor.damageReceived).end();
    }

    private static void opponent(JsonWriter out, Opponent opponent) {
        out.object("opponent").field("x", opponent.x).field("y", opponent.y).field("facing", opponent.facing.word);
        out.array("velocity").value(opponent.velocityX).value(opponent.velocityY).end();
        out.field("alive", opponent.isAlive())
            .field("health", opponent.health)
            .field("mode", opponent.mode.word)
            .field("timer", opponent.timer)
            .end();
    }
}
