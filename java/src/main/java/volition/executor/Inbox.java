package volition.executor;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * What other threads hand in for the one thread that owns a server. It is done there, in the order in which it came, in
 * the owner's next turn; so a game may finish its attempts from a pool of workers.
 */
final class Inbox {
    private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();
    private final Runnable wake;
    private volatile Thread owner;

    /** {@code wake} is called by whoever hands something in, and ends the owner's wait. */
    Inbox(Runnable wake) {
        this.wake = wake;
    }

    /** Makes the calling thread the owner where there is none; refuses any other one. */
    void own() {
        if (owner == null) {
            owner = Thread.currentThread();
        } else if (!isOwner()) {
            throw new IllegalStateException("the server belongs to " + owner + "; call it from there");
        }
    }

    boolean isOwner() {
        return owner == Thread.currentThread();
    }

    void put(Runnable task) {
        waiting.add(task);
        wake.run();
    }

    /** Does what was handed in; the owner calls it. */
    void drain() {
        for (Runnable task = waiting.poll(); task != null; task = waiting.poll()) {
            task.run();
        }
    }
}
