package volition.executor;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** A game says how it tells places, and how exactly, in the schema of its welcome. */
class PlacesTest {
    private static String welcome(About about) {
        Talk.Game game = new Talk.Game();
        game.about = about;
        Talk talk = new Talk(game, new Options());
        talk.hear(Talk.HELLO);
        return talk.said().get(0);
    }

    @Test
    void theWelcomeSaysHowPlacesAreTold() {
        String minecraft = welcome(About.game("test", "1").places("metre", "y", "right"));
        assertTrue(minecraft.contains(
            "\"hash\":\"test-1\",\"places\":{\"unit\":\"metre\",\"up\":\"y\",\"handed\":\"right\"}}"), minecraft);
        String cart = welcome(About.game("test", "1").places("tile", "z", "left").tolerance(0.05, 300));
        assertTrue(cart.contains(
            "\"places\":{\"unit\":\"tile\",\"up\":\"z\",\"handed\":\"left\",\"tolerance\":0.05,\"coast_ms\":300}}"), cart);
    }

    @Test
    void whatTheWireRefusesIsRefusedHere() {
        About about = About.game("test", "1");
        assertThrows(IllegalArgumentException.class, () -> about.tolerance(0.05, 0));
        assertThrows(IllegalArgumentException.class, () -> about.places("mile", "z", "left"));
        assertThrows(IllegalArgumentException.class, () -> about.places("tile", "up", "left"));
        assertThrows(IllegalArgumentException.class, () -> about.places("tile", "z", "both"));
        about.places("tile", "z", "left");
        for (double wrong : new double[] {-0.1, 1.1, Double.NaN, Double.POSITIVE_INFINITY}) {
            assertThrows(IllegalArgumentException.class, () -> about.tolerance(wrong, 0));
        }
        assertThrows(IllegalArgumentException.class, () -> about.tolerance(0, -1));
        assertThrows(IllegalArgumentException.class, () -> about.tolerance(0, 5001));
    }
}
