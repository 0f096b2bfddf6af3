package volition.bodies.minestom;

import volition.executor.JsonWriter;

/** Everything that can be seen in the yard, in the shape of the arena's states; the map is in all of them, since it changes. */
final class YardState {
    private YardState() {}

    static void write(JsonWriter out, YardGame game) {
        out.object()
            .field("tick", game.tick())
            .field("episode", game.episode())
            .field("down", game.down);
        hero(out, game.hero);
        foe(out, game.foe);
        out.array("open");
        for (Task task : game.open) {
            out.object()
                .field("id", task.attempt.id())
                .field("intent", task.attempt.name())
                .field("since", task.since)
                .end();
        }
        out.end().object("map").field("name", Yard.NAME).array("rows");
        game.yard.rows().forEach(out::value);
        out.end().end().end();
    }

    private static void hero(JsonWriter out, Hero hero) {
        Creature body = hero.body;
        out.object("actor")
            .field("x", body.x())
            .field("y", body.y())
            .field("z", body.z())
            .field("facing", body.facing.word);
        out.array("velocity").value(body.velocityX).value(body.velocityY).value(0).end();
        out.field("alive", body.isAlive())
            .field("health", body.health())
            .field("stamina", hero.stamina)
            .field("holding", false)
            .field("dashing", false)
            .field("air", hero.air);
        out.object("cooldowns")
            .field("attack", hero.attackWait)
            .field("evade", 0)
            .field("jump", hero.jumpWait)
            .end();
        out.field("damage_dealt", hero.damageDealt)
            .field("damage_received", hero.damageReceived)
            .field("blocks", hero.blocks)
            .end();
    }

    private static void foe(JsonWriter out, Foe foe) {
        Creature body = foe.body;
        out.object("opponent").field("x", body.x()).field("y", body.y()).field("facing", body.facing.word);
        out.array("velocity").value(body.velocityX).value(body.velocityY).end();
        out.field("alive", body.isAlive())
            .field("health", body.health())
            .field("mode", foe.mode.word)
            .field("timer", foe.timer)
            .end();
    }
}
