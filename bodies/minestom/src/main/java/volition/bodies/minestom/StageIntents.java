package volition.bodies.minestom;

import volition.executor.Declaration;
import volition.executor.Reason;
import volition.executor.Status;

/** What every stage declares, in the words of {@code volition.staging.STAGE_INTENTS}: a test compares the two. */
final class StageIntents {
    /** Whom an answer is for that all who watch may read. */
    static final String EVERYBODY = "*";
    /** Whom the example of ENTER brings in. */
    private static final String GUEST = "ann";
    private static final String PLACE = "{\"type\":\"number\",\"minimum\":-100000,\"maximum\":100000}";
    private static final String POINT = "{\"type\":\"array\",\"items\":" + PLACE + ",\"minItems\":2,\"maxItems\":2}";
    private static final String NAME = "{\"type\":\"string\",\"maxLength\":200}";
    private static final String TEXT = "{\"type\":\"string\",\"maxLength\":2000}";
    private static final String ROOM = """
        {"type":"object","properties":{"id":NAME,"name":NAME,"x":PLACE,"y":PLACE,"width":PLACE,"height":PLACE},
         "required":["id","name","x","y","width","height"],"additionalProperties":false}"""
        .replace("NAME", NAME).replace("PLACE", PLACE);
    private static final String DOOR = """
        {"type":"object","properties":{"start":POINT,"end":POINT},
         "required":["start","end"],"additionalProperties":false}"""
        .replace("POINT", POINT);

    static final Declaration SET = Declaration.of("SET")
        .parameter("title", NAME)
        .parameter("rooms", list(ROOM, 64))
        .parameter("doors", list(DOOR, 256))
        .describedAs("Build the rooms, with a gap in the wall for each door, and send everybody off.")
        .example("{\"title\":\"A house\",\"rooms\":[],\"doors\":[]}");
    static final Declaration ENTER = Declaration.of("ENTER")
        .parameter("who", NAME)
        .parameter("name", NAME)
        .parameter("at", POINT)
        .describedAs("Bring a guest in at a place; one who is there is put there.")
        .example("{\"who\":\"ann\",\"name\":\"Ann\",\"at\":[1,1]}");
    static final Declaration WALK = Declaration.of("WALK")
        .parameter("way", list(POINT, 64))
        .canEnd(Status.PARTIAL, Reason.BLOCKED)
        .canEnd(Status.FAILURE, Reason.BLOCKED)
        .describedAs("Walk from point to point; the last one is where to stay.")
        .example("{\"way\":[[2,1],[2,3]]}")
        .agents(GUEST);
    static final Declaration LOOK = Declaration.of("LOOK")
        .parameter("at", POINT)
        .describedAs("Turn to a place.")
        .agents(GUEST);
    static final Declaration SAY = Declaration.of("SAY")
        .parameter("text", TEXT)
        .flag("aloud")
        .describedAs("Say something: beside the guest, and, if it is aloud, for all who watch to read later.")
        .agents(GUEST);
    static final Declaration GESTURE = Declaration.of("GESTURE")
        .choice("manner", "burst", "break", "drink", "touch", "slam")
        .describedAs("Do something that is seen from afar.")
        .agents(GUEST);
    static final Declaration LEAVE = Declaration.of("LEAVE").describedAs("Go off the stage.").agents(GUEST);
    static final Declaration CAPTION = Declaration.of("CAPTION")
        .parameter("text", TEXT)
        .describedAs("Write something over the stage: what time it is, or how it ended.");
    static final Declaration ANSWER = Declaration.of("ANSWER")
        .parameter("to", NAME)
        .parameter("text", TEXT)
        .describedAs("Tell one of those who watch what they asked for, or * for all of them.")
        .example("{\"to\":\"*\",\"text\":\"because\"}");

    private StageIntents() {}

    private static String list(String items, int most) {
        return "{\"type\":\"array\",\"items\":" + items + ",\"maxItems\":" + most + "}";
    }
}
