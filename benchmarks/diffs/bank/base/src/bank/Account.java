package bank;

import java.util.ArrayList;
import java.util.List;

/** An account with everything that was booked on it. */
public class Account {
    private final String owner;
    private final List<Booking> bookings = new ArrayList<>();
    private long limit = 0;

    public Account(String owner) {
        this.owner = owner;
    }

    /** What is on it, in cents. */
    public long balance() {
        long sum = 0;
        for (Booking booking : bookings) {
            sum += booking.cents();
        }
        return sum;
    }

    /** Puts money on it. */
    public void deposit(long cents, String text) {
        if (cents <= 0) {
            throw new IllegalArgumentException("nothing to deposit");
        }
        bookings.add(new Booking(cents, text));
    }

    /** Takes money off it. */
    public void withdraw(long cents, String text) {
        if (balance() + limit < cents) {
            throw new IllegalStateException("not enough money");
        }
        bookings.add(new Booking(-cents, text));
    }

    /** How far it may be overdrawn. */
    public void setLimit(long limit) {
        this.limit = limit;
    }

    /** The last bookings, the newest first. */
    public List<Booking> last(int count) {
        List<Booking> found = new ArrayList<>();
        for (int at = bookings.size() - 1; at >= 0 && found.size() < count; at--) {
            found.add(bookings.get(at));
        }
        return found;
    }

    @Override
    public String toString() {
        return owner + ": " + balance();
    }
}
