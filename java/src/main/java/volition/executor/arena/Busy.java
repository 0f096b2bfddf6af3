package volition.executor.arena;

import volition.executor.Reason;
import volition.executor.Status;

import java.util.ArrayList;
import java.util.List;

/**
 * What the actor is busy with: the open intents in the order in which they began, at most one MOVE or EVADE and one JUMP
 * in its first tick, and the tick that carries them on.
 */
final class Busy {
    /** An intent that was accepted, what the counters were when it began, and how far it has come. */
    static final class Task {
        final long id;
        final String intent;
        final long since;
        /** The most ticks that it stays open. */
        final long ticks;
        final int dealtBefore;
        final int receivedBefore;
        int toX;
        int toY;
        Facing way;
        int steps;
        /** How it ends, once that is settled. */
        Ending ending;

        Task(long id, String intent, long since, long ticks, Actor actor) {
            this.id = id;
            this.intent = intent;
            this.since = since;
            this.ticks = ticks;
            dealtBefore = actor.damageDealt;
            receivedBefore = actor.damageReceived;
        }
    }

    final List<Task> open = new ArrayList<>();
    Task walk;
    Task dash;
    Task jump;

    Task find(long id) {
        for (Task task : open) {
            if (task.id == id) {
                return task;
            }
        }
        return null;
    }

    /** Moves a living actor through one tick, and settles how those intents end that are done with it. */
    void advance(Actor actor, Ground ground, long tick) {
        actor.rise(jump != null && ground.tile(actor.x, actor.y) != Ground.BEAM);
        if (jump != null) {
            jump.ending = actor.z > 0 ? Ending.DONE : Ending.IN_VAIN;
        }
        if (dash != null) {
            run(actor, ground);
        } else if (walk != null) {
            stride(actor, ground);
            if (walk.ending == null && tick - walk.since >= walk.ticks) {
                walk.ending = Ending.CUT_SHORT;
            }
        } else if (actor.air > 0) {
            actor.travel(ground, actor.velocityX, actor.velocityY);
        } else {
            actor.rest();
        }
    }

    /** How an open intent ends that is cut short; one that was paid for and moved nothing yet is wasted. */
    Ending interruption(Task task, Reason reason) {
        return new Ending(Status.PARTIAL, reason, false, task == jump || (task == dash && dash.steps == 0));
    }

    /** Takes an intent out. Its movement ends with it, unless the actor flies: only an arrival ends that. */
    void end(Task task, Ending ending, Actor actor) {
        if (task == jump) {
            jump = null;
        } else if (task == dash) {
            dash = null;
            actor.dashing = false;
            actor.rest();
        } else {
            walk = null;
            if (ending == Ending.DONE || actor.air == 0) {
                actor.rest();
            }
        }
        open.remove(task);
    }

    private void run(Actor actor, Ground ground) {
        if (actor.travel(ground, dash.way.dx * Rules.DASH_SPEED, dash.way.dy * Rules.DASH_SPEED)) {
            dash.steps++;
            if (dash.steps == Rules.DASH_TICKS) {
                dash.ending = Ending.DONE;
            }
        } else {
            dash.ending = dash.steps > 0 ? Ending.HALFWAY : Ending.IN_VAIN;
        }
    }

    /** One part in n of what is left, n the least number of ticks that the rest takes. */
    private void stride(Actor actor, Ground ground) {
        int dx = walk.toX - actor.x;
        int dy = walk.toY - actor.y;
        int ticks = ticks(dx, dy, actor.holding ? Rules.GUARD_SPEED : Rules.WALK_SPEED);
        if (!actor.travel(ground, Math.floorDiv(dx, ticks), Math.floorDiv(dy, ticks))) {
            walk.ending = walk.steps > 0 ? Ending.HALFWAY : Ending.OBSTRUCTED;
            return;
        }
        walk.steps++;
        if (actor.x == walk.toX && actor.y == walk.toY) {
            walk.ending = Ending.DONE;
        }
    }

    private static int ticks(int dx, int dy, long speed) {
        long square = (long) dx * dx + (long) dy * dy;
        int ticks = Math.max(1, (int) (Math.sqrt((double) square) / speed) - 1);
        while (ticks * speed * ticks * speed < square) {
            ticks++;
        }
        return ticks;
    }
}
