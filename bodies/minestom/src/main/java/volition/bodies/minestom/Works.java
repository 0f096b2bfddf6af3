package volition.bodies.minestom;

import net.minestom.server.instance.block.Block;
import volition.executor.Declaration;
import volition.executor.ExecutorServer;
import volition.executor.IncomingIntent;
import volition.executor.Reason;
import volition.executor.Result;
import volition.executor.Status;

/**
 * The intents that this game has beside the seven. {@code at} is a block: whole numbers, x east, y south, z up, where 0 is the
 * layer in which the hero stands. What is out of reach, or makes no sense there, fails with INVALID_STATE.
 */
final class Works {
    private static final int DIG_TICKS = 10;
    private static final int REACH = 4500;
    static final Declaration DIG = Declaration.of("DIG")
        .integers("at", 3)
        .canEnd(Status.FAILURE, Reason.BLOCKED)
        .canEnd(Status.PARTIAL, Reason.INVALID_STATE) // the hero dies while it digs
        .describedAs("Dig out a block in reach, in half a second, and keep it. The border is too hard.")
        .example("{\"at\":[4,1,0]}");
    static final Declaration PLACE = Declaration.of("PLACE")
        .integers("at", 3)
        .canEnd(Status.FAILURE, Reason.BLOCKED)
        .describedAs("Put a block that was dug, or one of the first four, where nothing is, beside something solid.")
        .example("{\"at\":[4,2,0]}");
    static final Declaration LOOK = Declaration.of("LOOK")
        .numbers("at", 2)
        .describedAs("Turn towards a place, in tiles from the top left corner of the map.")
        .example("{\"at\":[8.5,5.0]}");
    static final Declaration USE = Declaration.of("USE")
        .integers("at", 3)
        .canEnd(Status.FAILURE, Reason.BLOCKED)
        .describedAs("Open or close a gate in reach.")
        .example("{\"at\":[4,3,0]}");

    private final YardGame game;
    private Task dig;

    Works(YardGame game) {
        this.game = game;
    }

    /** Declares them; the hero attempts each. */
    void declare(ExecutorServer server) {
        server.declare(DIG, this::dig).declare(PLACE, this::place).declare(LOOK, this::look).declare(USE, this::use);
    }

    /** Digging takes its time. */
    void step() {
        if (dig == null) {
            return;
        }
        Task ended = dig;
        ended.steps++;
        if (ended.attempt.isOverdue()) {
            game.end(ended, Result.partial(Reason.NONE));
        } else if (ended.steps == DIG_TICKS) {
            long[] at = at(ended.attempt);
            game.yard.set((int) at[0], (int) at[1], (int) at[2], Block.AIR);
            game.hero.blocks++;
            game.end(ended, Result.success());
        }
    }

    void interrupt() {
        if (dig != null) {
            game.end(dig, Result.partial(Reason.NONE));
        }
    }

    void forget() {
        dig = null;
    }

    void dig(IncomingIntent attempt) {
        long[] at = at(attempt);
        if (game.refusedToTheDead(attempt)) {
            return;
        }
        if (!isInReach(at) || block(at).isAir()) {
            attempt.fail(Reason.INVALID_STATE);
        } else if (block(at).compare(Block.BEDROCK)) {
            attempt.fail(Reason.BLOCKED);
        } else {
            game.endOccupation();
            turn(at[0] * Yard.TILE + Yard.TILE / 2, at[1] * Yard.TILE + Yard.TILE / 2);
            dig = game.begin(attempt);
        }
    }

    void place(IncomingIntent attempt) {
        long[] at = at(attempt);
        if (game.refusedToTheDead(attempt)) {
            return;
        }
        if (!isInReach(at) || !isSupported(at)) {
            attempt.fail(Reason.INVALID_STATE);
        } else if (!block(at).isAir() || isOccupied(at)) {
            attempt.fail(Reason.BLOCKED);
        } else if (game.hero.blocks == 0) {
            attempt.fail(Reason.RESOURCE_EXHAUSTED);
        } else {
            game.hero.blocks--;
            game.yard.set((int) at[0], (int) at[1], (int) at[2], Block.STONE_BRICKS);
            attempt.succeed();
        }
    }

    void look(IncomingIntent attempt) {
        if (game.refusedToTheDead(attempt)) {
            return;
        }
        double[] at = attempt.parameters().numbers("at");
        double far = 1000;
        turn((long) (Math.clamp(at[0], -far, far) * Yard.TILE), (long) (Math.clamp(at[1], -far, far) * Yard.TILE));
        attempt.succeed();
    }

    void use(IncomingIntent attempt) {
        long[] at = at(attempt);
        if (game.refusedToTheDead(attempt)) {
            return;
        }
        if (!isInReach(at) || !Yard.isGate(block(at))) {
            attempt.fail(Reason.INVALID_STATE);
        } else if (Yard.isOpenGate(block(at)) && isOccupied(at)) {
            attempt.fail(Reason.BLOCKED);
        } else {
            String open = Yard.isOpenGate(block(at)) ? "false" : "true";
            game.yard.set((int) at[0], (int) at[1], (int) at[2], block(at).withProperty("open", open));
            attempt.succeed();
        }
    }

    private static long[] at(IncomingIntent attempt) {
        return attempt.parameters().integers("at");
    }

    private Block block(long[] at) {
        return game.yard.block((int) at[0], (int) at[1], (int) at[2]);
    }

    /** Whether a block is one of the yard's above its floor, and near enough. */
    private boolean isInReach(long[] at) {
        boolean inYard = at[2] >= 0 && at[2] < Yard.WALL_HEIGHT
            && Math.abs(at[0]) < Yard.TILE && Math.abs(at[1]) < Yard.TILE && game.yard.isOnMap((int) at[0], (int) at[1]);
        return inYard && game.hero.body.isWithin(
            REACH, (int) at[0] * Yard.TILE + Yard.TILE / 2, (int) at[1] * Yard.TILE + Yard.TILE / 2);
    }

    /** Whether something solid is below or beside a block. */
    private boolean isSupported(long[] at) {
        int x = (int) at[0];
        int y = (int) at[1];
        int z = (int) at[2];
        Yard yard = game.yard;
        return yard.isSolid(x, y, z - 1) || yard.isSolid(x + 1, y, z) || yard.isSolid(x - 1, y, z)
            || yard.isSolid(x, y + 1, z) || yard.isSolid(x, y - 1, z);
    }

    /** Whether a body is in the tile of a block, at whatever height. */
    private boolean isOccupied(long[] at) {
        return isIn(game.hero.body, at) || isIn(game.foe.body, at);
    }

    private static boolean isIn(Creature body, long[] at) {
        return Math.floorDiv(body.x(), Yard.TILE) == at[0] && Math.floorDiv(body.y(), Yard.TILE) == at[1];
    }

    private void turn(long x, long y) {
        game.hero.body.turn(Facing.toward((int) x - game.hero.body.x(), (int) y - game.hero.body.y()));
    }
}
