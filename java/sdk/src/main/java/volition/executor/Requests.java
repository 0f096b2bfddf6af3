package volition.executor;

import java.util.ArrayList;
import java.util.List;

/** The requests of a bridge that are not answered yet: states and, in tests, probes, in order. */
final class Requests {
    private static final class Request {
        final long id;
        final boolean full;
        final boolean probe;
        final String agent;

        Request(long id, boolean full, boolean probe, String agent) {
            this.id = id;
            this.full = full;
            this.probe = probe;
            this.agent = agent;
        }
    }

    private final Results results;
    private final List<Request> waiting = new ArrayList<>();

    Requests(Results results) {
        this.results = results;
    }

    void addState(long id, boolean full, String agent) {
        waiting.add(new Request(id, full, false, agent));
    }

    void addProbe(long id) {
        waiting.add(new Request(id, true, true, null));
    }

    void answer() {
        for (int i = 0; i < waiting.size(); i++) {
            Request request = waiting.get(i);
            if (request.probe) {
                results.sight(request.id);
            } else {
                results.state(request.id, request.full, request.agent);
            }
        }
        waiting.clear();
    }

    /** The bridge is gone. */
    void forget() {
        waiting.clear();
    }
}
