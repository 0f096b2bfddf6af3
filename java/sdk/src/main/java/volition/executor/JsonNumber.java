package volition.executor;

import java.nio.charset.StandardCharsets;

/** Numbers with a fraction or an exponent, from digits to doubles. */
final class JsonNumber {
    private static final double[] POWERS = {
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15
    };

    private JsonNumber() {}

    /**
     * The double nearest to a well-formed number; a {@link Fault} where that is infinite. Up to 15 digits and a power of
     * ten below 10^16 are both exact, so that one division gives the nearest double.
     */
    static Double decimal(byte[] bytes, int from, int to, int fraction, boolean scaled) throws Fault {
        boolean negative = bytes[from] == '-';
        int digits = to - from - (negative ? 2 : 1);
        if (!scaled && digits <= 15) {
            long number = 0;
            for (int at = negative ? from + 1 : from; at < to; at++) {
                if (bytes[at] != '.') {
                    number = number * 10 + bytes[at] - '0';
                }
            }
            double value = number / POWERS[fraction];
            return negative ? -value : value;
        }
        double value = Double.parseDouble(new String(bytes, from, to - from, StandardCharsets.ISO_8859_1));
        if (Double.isInfinite(value)) {
            throw new Fault(Fault.Code.NOT_JSON, "not JSON: a number beyond all doubles");
        }
        return value;
    }
}
