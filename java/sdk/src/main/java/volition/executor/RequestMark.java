package volition.executor;

import java.util.Objects;

/** What makes an intent happen once: the request that it is for, and the number under which the bridge acts. */
final class RequestMark {
    final String request;
    final String digest;
    final long token;
    final String resource;

    RequestMark(String request, String digest, long token, String resource) {
        this.request = Objects.requireNonNull(request);
        this.digest = Objects.requireNonNull(digest);
        this.token = token;
        this.resource = Objects.requireNonNull(resource);
    }

    /** Whether another mark, or null, is of the same request for the same thing. */
    boolean repeats(RequestMark other) {
        return other != null && request.equals(other.request) && digest.equals(other.digest);
    }

    /** The mark of an intent as it arrived; null where it has none, or only a part of one. */
    static RequestMark of(JsonObject frame) {
        String request = frame.text("request");
        String digest = frame.text("digest");
        String resource = frame.text("resource");
        long token = frame.integer("token", -1);
        boolean whole = request != null && digest != null && resource != null && token >= 0;
        return whole ? new RequestMark(request, digest, token, resource) : null;
    }
}
