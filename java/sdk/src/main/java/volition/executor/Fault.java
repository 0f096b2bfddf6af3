package volition.executor;

import java.util.Locale;

/**
 * A line that breaks a rule of the wire; {@link #code} says which. It is an expected case, so it carries no
 * stack trace.
 */
final class Fault extends Exception {
    private static final long serialVersionUID = 1L;

    /** The rules that a line can break, by the names that go over the wire. */
    enum Code {
        TOO_LONG, NOT_UTF8, NOT_JSON, NOT_OBJECT, TOO_DEEP, BAD_NUMBER, DUPLICATE_KEY, BAD_VERSION, UNKNOWN_TYPE,
        BAD_FIELD;

        final String wire = name().toLowerCase(Locale.ROOT);
    }

    final Code code;

    Fault(Code code, String message) {
        super(message, null, false, false);
        this.code = code;
    }
}
