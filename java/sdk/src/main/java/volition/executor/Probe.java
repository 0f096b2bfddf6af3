package volition.executor;

/**
 * For tests: the truth about the world, as the engine itself knows it, so that the conformance kit can judge the
 * game's results without a reader for its states. {@link Options#probe} offers it to anyone who asks for the feature.
 */
@FunctionalInterface
public interface Probe {
    /**
     * Writes what is true now, as fields of the open {@code probe.sight}: the object {@code sight} and the vectors
     * for MOVE, as the section Probe of the protocol's page has them. The id is already written.
     */
    void write(JsonWriter out);
}
