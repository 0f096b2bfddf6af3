package volition.bodies.minestom;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import net.minestom.server.MinecraftServer;
import net.minestom.server.entity.Entity;
import net.minestom.server.instance.InstanceContainer;
import volition.executor.About;
import volition.executor.Executor;
import volition.executor.ExecutorServer;
import volition.executor.IncomingIntent;
import volition.executor.Intent;
import volition.executor.JsonWriter;
import volition.executor.Parameters;
import volition.executor.Reason;
import volition.executor.Result;
import volition.executor.SeveralActors;

/**
 * A stage on which an evening is shown: whoever has entered is an actor, walks at their own pace beside the others, and is seen
 * and heard by the audience. What cannot be done is reported, and changes nothing.
 */
final class StageGame implements Executor, SeveralActors {
    private static final int MOST_GUESTS = 64;

    /** Those who watch. */
    interface Audience {
        /** A line that everybody can read later. */
        void hear(String line);

        /** What is written over the stage. */
        void read(String caption);

        /** A line for one of them; whether they are here. */
        boolean tell(String name, String text);

        /** Another evening begins: what was heard so far is not part of it. */
        void forget();

        /** The house was rebuilt: move every player to where they can see it. */
        void gather();
    }

    final House house;
    private final InstanceContainer instance;
    private final Audience audience;
    private final Map<String, Guest> guests = new LinkedHashMap<>();
    private long tick;

    StageGame(InstanceContainer instance, House house, Audience audience) {
        this.instance = instance;
        this.house = house;
        this.audience = audience;
    }

    /** Declares what a stage can do. */
    void declare(ExecutorServer server) {
        server.declare(StageIntents.SET, this::set)
            .declare(StageIntents.ENTER, this::enter)
            .declare(StageIntents.WALK, this::walk)
            .declare(StageIntents.LOOK, this::look)
            .declare(StageIntents.SAY, this::say)
            .declare(StageIntents.GESTURE, this::gesture)
            .declare(StageIntents.LEAVE, this::leave)
            .declare(StageIntents.CAPTION, this::caption)
            .declare(StageIntents.ANSWER, this::answer);
    }

    /** One tick. Results are given when everybody has had it, so that the state with them shows the whole of it. */
    void step() {
        tick++;
        List<Runnable> ended = new ArrayList<>();
        for (Guest guest : guests.values()) {
            Result result = guest.step(house);
            if (result != null) {
                IncomingIntent walk = guest.halt();
                ended.add(() -> walk.finish(result));
            }
        }
        ended.forEach(Runnable::run);
    }

    /** Whom a body belongs to; null where it is no guest's. */
    String who(Entity entity) {
        for (Map.Entry<String, Guest> each : guests.entrySet()) {
            if (each.getValue().entity == entity) {
                return each.getKey();
            }
        }
        return null;
    }

    /** Who is in which room, a line for each room, for those who come late. */
    List<String> whereabouts() {
        Map<String, List<String>> rooms = new LinkedHashMap<>();
        for (Guest guest : guests.values()) {
            rooms.computeIfAbsent(house.roomAt(guest.x(), guest.y()), room -> new ArrayList<>()).add(guest.name);
        }
        return rooms.entrySet().stream().map(each -> each.getKey() + ": " + String.join(", ", each.getValue())).toList();
    }

    void set(IncomingIntent attempt) {
        Parameters given = attempt.parameters();
        List<House.Room> rooms = given.objects("rooms").stream()
            .map(each -> new House.Room(
                each.text("name"), each.number("x"), each.number("y"), each.number("width"), each.number("height")))
            .toList();
        if (!House.canBuild(rooms)) {
            attempt.fail(Reason.INVALID_STATE);
            return;
        }
        guests.values().forEach(guest -> {
            interrupt(guest);
            guest.leave();
        });
        guests.clear();
        audience.forget();
        house.build(rooms, given.objects("doors").stream().map(StageGame::door).toList());
        audience.read(given.text("title"));
        audience.gather();
        attempt.succeed();
    }

    private static House.Door door(Parameters given) {
        double[] start = given.numbers("start");
        double[] end = given.numbers("end");
        return new House.Door(start[0], start[1], end[0], end[1]);
    }

    void enter(IncomingIntent attempt) {
        String who = attempt.parameters().text("who");
        double[] at = attempt.parameters().numbers("at");
        Guest guest = guests.get(who);
        if (!house.isOnStage(at[0], at[1])) {
            attempt.fail(Reason.INVALID_STATE);
        } else if (guest != null) {
            interrupt(guest);
            guest.put(at[0], at[1]);
            attempt.succeed();
        } else if (guests.size() == MOST_GUESTS) {
            attempt.fail(Reason.RESOURCE_EXHAUSTED);
        } else {
            guests.put(who, new Guest(attempt.parameters().text("name"), instance, at[0], at[1]));
            attempt.succeed();
        }
    }

    void walk(IncomingIntent attempt) {
        Guest guest = guests.get(attempt.agent());
        if (guest == null) {
            attempt.fail(Reason.INVALID_STATE);
            return;
        }
        interrupt(guest);
        guest.walk(attempt, house.throughDoors(guest.place(), points(attempt.parameters())));
    }

    private static List<double[]> points(Parameters given) {
        return given.list("way").stream()
            .map(point -> ((List<?>) point).stream().mapToDouble(part -> ((Number) part).doubleValue()).toArray())
            .toList();
    }

    void look(IncomingIntent attempt) {
        double[] at = attempt.parameters().numbers("at");
        atOnce(attempt, guest -> guest.look(at[0], at[1]));
    }

    void say(IncomingIntent attempt) {
        String text = attempt.parameters().text("text");
        atOnce(attempt, guest -> {
            guest.say(text);
            if (attempt.parameters().flag("aloud")) {
                audience.hear(guest.name + ": " + text);
            }
        });
    }

    void gesture(IncomingIntent attempt) {
        atOnce(attempt, guest -> guest.gesture(attempt.parameters().text("manner")));
    }

    void leave(IncomingIntent attempt) {
        atOnce(attempt, guest -> {
            interrupt(guest);
            guest.leave();
            guests.remove(attempt.agent());
        });
    }

    void caption(IncomingIntent attempt) {
        audience.read(attempt.parameters().text("text"));
        attempt.succeed();
    }

    void answer(IncomingIntent attempt) {
        String to = attempt.parameters().text("to");
        String text = attempt.parameters().text("text");
        if (to.equals(StageIntents.EVERYBODY)) {
            audience.hear(text);
            attempt.succeed();
        } else if (audience.tell(to, text)) {
            attempt.succeed();
        } else {
            attempt.fail(Reason.INVALID_STATE);
        }
    }

    /** What a guest does in no time; who is not here can do nothing. */
    private void atOnce(IncomingIntent attempt, Consumer<Guest> act) {
        Guest guest = guests.get(attempt.agent());
        if (guest == null) {
            attempt.fail(Reason.INVALID_STATE);
            return;
        }
        act.accept(guest);
        attempt.succeed();
    }

    /** Ends the walk of a guest where they are. */
    private static void interrupt(Guest guest) {
        IncomingIntent walk = guest.halt();
        if (walk != null) {
            walk.finish(Result.partial(Reason.NONE));
        }
    }

    @Override
    public void stop(IncomingIntent attempt) {
        guests.forEach((who, guest) -> {
            if (attempt.agent() == null || attempt.agent().equals(who)) {
                interrupt(guest);
            }
        });
        attempt.succeed();
    }

    @Override
    public void cancel(IncomingIntent attempt) {
        guests.values().stream().filter(guest -> guest.walk() == attempt).forEach(StageGame::interrupt);
    }

    @Override
    public About about() {
        return About.game("minestom-stage", YardGame.VERSION)
            .engine("Minestom, Minecraft " + MinecraftServer.VERSION_NAME)
            .tickHz(MinecraftServer.TICK_PER_SECOND)
            .without(Intent.MOVE, Intent.JUMP, Intent.PRIMARY_ATTACK, Intent.EVADE, Intent.HOLD, Intent.RELEASE)
            .schema("stage", "1", "guests-and-where-they-stand");
    }

    @Override
    public void describe(JsonWriter out, boolean full) {
        out.object().object("guests");
        guests.forEach((who, guest) -> out.array(who).value(guest.x()).value(guest.y()).end());
        out.end().end();
    }

    @Override
    public long tick() {
        return tick;
    }

    @Override
    public boolean knows(String agent) {
        return guests.containsKey(agent);
    }

    @Override
    public void describe(JsonWriter out, boolean full, String agent) {
        describe(out, full);
    }

    @Override
    public boolean isAlive(String agent) {
        return knows(agent);
    }

    @Override
    public long episode(String agent) {
        return episode();
    }
}
