package volition.bodies.minestom;

import net.kyori.adventure.text.Component;
import net.minestom.server.coordinate.Pos;
import net.minestom.server.coordinate.Vec;
import net.minestom.server.entity.Entity;
import net.minestom.server.entity.EntityType;
import net.minestom.server.entity.metadata.display.AbstractDisplayMeta.BillboardConstraints;
import net.minestom.server.entity.metadata.display.TextDisplayMeta;
import net.minestom.server.instance.Instance;

/** Text in the world that turns to whoever looks at it. */
final class Label {
    private static final int LINE_WIDTH = 180;

    private Label() {}

    /** Text at a place. */
    static Entity put(Instance instance, Component text, Pos at) {
        return put(instance, text, at, 0);
    }

    /** Text above somebody, who carries it along. */
    static Entity carry(Entity bearer, Component text, double height) {
        Entity label = put(bearer.getInstance(), text, bearer.getPosition(), height);
        bearer.addPassenger(label);
        return label;
    }

    private static Entity put(Instance instance, Component text, Pos at, double height) {
        Entity label = new Entity(EntityType.TEXT_DISPLAY);
        label.setNoGravity(true);
        label.editEntityMeta(TextDisplayMeta.class, meta -> {
            meta.setText(text);
            meta.setLineWidth(LINE_WIDTH);
            meta.setBillboardRenderConstraints(BillboardConstraints.CENTER);
            meta.setTranslation(new Vec(0, height, 0));
        });
        label.setInstance(instance, at).join();
        return label;
    }
}
