package volition.executor;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Tasks that other threads submit to the thread that owns a server. They run there, in the order of their submission, in
 * the owner's next turn, so that a game may finish its attempts from a pool of workers and report events from any thread.
 */
final class Inbox {
    private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();
    private final Runnable wake;
    private volatile Thread owner;
    private boolean draining;

    /** {@code wake} is called after each submission, and ends the owner's wait. */
    Inbox(Runnable wake) {
        this.wake = wake;
    }

    /** Makes the calling thread the owner where there is none; refuses any other thread. */
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

    /**
     * Runs what was submitted; called by the owner. A task that leads here again runs nothing: those after it keep their
     * order. What is submitted meanwhile waits for the next turn, so that a task which submits itself again blocks nobody.
     */
    void drain() {
        if (draining) {
            return;
        }
        draining = true;
        try {
            for (int left = waiting.size(); left > 0; left--) {
                waiting.poll().run();
            }
        } finally {
            draining = false;
        }
    }
}
