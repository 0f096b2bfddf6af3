package volition.executor.arena;

import volition.executor.Reason;
import volition.executor.Result;
import volition.executor.Status;

import java.util.ArrayList;
import java.util.List;

/**
 * What the actor is doing: the open intents in the order in which they began, at most one MOVE or EVADE and one JUMP
 * in its first tick, and how a tick advances them.
 */
final class Busy {
    /** An intent that was accepted, the counters when it began, and its progress. */
    static final class Task {
        final long id;
        final String intent;
        final long since;
        /** The most ticks that it stays open. */
        final long ticks;
        private final int dealtBefore;
        private final int receivedBefore;
        int toX;
        int toY;
        Facing way;
        int steps;
        /** How it ends, once that is known. */
        Conclusion ending;

        Task(long id, String intent, long since, long ticks, Actor actor) {
            this.id = id;
            this.intent = intent;
            this.since = since;
            this.ticks = ticks;
            dealtBefore = actor.damageDealt;
            receivedBefore = actor.damageReceived;
        }

        /** The intent with its result; it ends now. */
        ArenaReport.Finished finish(Conclusion ending, Actor actor, long tick) {
            Result result = new Result(
                ending.status, ending.reason, ending.outOfPlace, actor.damageDealt - dealtBefore,
                actor.damageReceived - receivedBefore, ending.wasted, actor.isAlive(), tick,
                (double) (tick - since) * Rules.TICK_MS, null);
            return new ArenaReport.Finished(id, intent, result);
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

    /** Advances a living actor by one tick, and decides how the intents end that are done with it. */
    void advance(Actor actor, Ground ground, long tick) {
        actor.rise(jump != null && ground.tile(actor.x, actor.y) != Ground.BEAM);
        if (jump != null) {
            jump.ending = actor.z > 0 ? Conclusion.DONE : Conclusion.IN_VAIN;
        }
        if (dash != null) {
            run(actor, ground);
        } else if (walk != null) {
            stride(actor, ground);
            if (walk.ending == null && tick - walk.since >= walk.ticks) {
                walk.ending = Conclusion.CUT_SHORT;
            }
        } else if (actor.air > 0) {
            actor.travel(ground, actor.velocityX, actor.velocityY);
        } else {
            actor.rest();
        }
    }

    /** How an open intent ends that is cut short; one that was paid for without any movement is wasted. */
    Conclusion interruption(Task task, Reason reason) {
        return new Conclusion(Status.PARTIAL, reason, false, task == jump || (task == dash && dash.steps == 0));
    }

    /** Removes an intent. Its movement ends with it, unless the actor is in the air: only arrival ends that. */
    void end(Task task, Conclusion ending, Actor actor) {
        if (task == jump) {
            jump = null;
        } else if (task == dash) {
            dash = null;
            actor.dashing = false;
            actor.rest();
        } else {
            walk = null;
            if (ending == Conclusion.DONE || actor.air == 0) {
                actor.rest();
            }
        }
        open.remove(task);
    }

    private void run(Actor actor, Ground ground) {
        if (actor.travel(ground, dash.way.dx * Rules.DASH_SPEED, dash.way.dy * Rules.DASH_SPEED)) {
            dash.steps++;
            if (dash.steps == Rules.DASH_TICKS) {
                dash.ending = Conclusion.DONE;
            }
        } else {
            dash.ending = dash.steps > 0 ? Conclusion.HALFWAY : Conclusion.IN_VAIN;
        }
    }

    /** 1/n of what is left, n the least number of ticks that the rest takes. */
    private void stride(Actor actor, Ground ground) {
        int dx = walk.toX - actor.x;
        int dy = walk.toY - actor.y;
        int ticks = ticks(dx, dy, actor.holding ? Rules.GUARD_SPEED : Rules.WALK_SPEED);
        if (!actor.travel(ground, Math.floorDiv(dx, ticks), Math.floorDiv(dy, ticks))) {
            walk.ending = walk.steps > 0 ? Conclusion.HALFWAY : Conclusion.OBSTRUCTED;
            return;
        }
        walk.steps++;
        if (actor.x == walk.toX && actor.y == walk.toY) {
            walk.ending = Conclusion.DONE;
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
