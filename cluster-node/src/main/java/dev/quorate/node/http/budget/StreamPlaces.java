package dev.quorate.node.http.budget;

import dev.quorate.router.runtime.ByteBudget;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Places for the streamed answers of a listener, each with memory for bytes that wait for its
 * client. When all are taken, a new answer gets the place of the client that has read nothing for
 * longest, if for at least {@link #PATIENCE}.
 *
 * <p>Thread-safe. {@link #acquire} and {@link #acquireForAddress} try to lock the connections that
 * have a place, one at a time, and must not be called with a connection's lock held.
 */
public final class StreamPlaces {

    /** Whether a streamed answer has a place. */
    public enum Place {
        TAKEN,
        NONE,
        /** The client's address has reached its limit. */
        ADDRESS_HAS_ITS_SHARE
    }

    /**
     * How long a client must read nothing before it can lose its place. The clock is read only
     * every {@link HttpDeadlines#SWEEP}, so the time may be that much shorter.
     */
    public static final Duration PATIENCE = Duration.ofSeconds(1);

    /** Others may take a released place first, so the attempts are limited. */
    private static final int ATTEMPTS = 4;

    private final ByteBudget budget;
    private final Set<OpenConnection> taken = ConcurrentHashMap.newKeySet();

    private final Map<OpenConnection, String> ofAddress = new ConcurrentHashMap<>();

    private final AddressCounts addresses = new AddressCounts(Integer.MAX_VALUE);

    /** Each place reserves {@link HttpBudgets#STREAM_BYTES} of {@code budget}. */
    public StreamPlaces(ByteBudget budget) {
        this.budget = budget;
    }

    /** Takes a free place; if there is none, the place of a client that does not read. */
    public boolean acquire(OpenConnection connection, long nowNanos) {
        return take(() -> tryTake(connection), () -> taken, nowNanos);
    }

    private static boolean take(
            BooleanSupplier attempt, Supplier<Collection<OpenConnection>> holders, long nowNanos) {
        for (int i = 0; i < ATTEMPTS; i++) {
            if (attempt.getAsBoolean()) {
                return true;
            }
            OpenConnection standing = longestStanding(holders.get(), nowNanos);
            if (standing == null) {
                return false;
            }
            standing.yieldPlace(nowNanos);
        }
        return attempt.getAsBoolean();
    }

    /**
     * The same, unless the connection's address has {@code most} places of this kind. Then it gets
     * the place of a client of the same address that does not read.
     */
    public Place acquireForAddress(OpenConnection connection, int most, long nowNanos) {
        String address = connection.address();
        if (!take(() -> addresses.tryAdd(address, 1, most), () -> of(address), nowNanos)) {
            return Place.ADDRESS_HAS_ITS_SHARE;
        }
        if (!acquire(connection, nowNanos)) {
            addresses.remove(address);
            return Place.NONE;
        }
        ofAddress.put(connection, address);
        return Place.TAKEN;
    }

    private Collection<OpenConnection> of(String address) {
        return ofAddress.entrySet().stream()
                .filter(each -> each.getValue().equals(address))
                .map(Map.Entry::getKey)
                .toList();
    }

    public boolean tryTake(OpenConnection connection) {
        if (!budget.tryReserve(HttpBudgets.STREAM_BYTES)) {
            return false;
        }
        taken.add(connection);
        return true;
    }

    public void release(OpenConnection connection) {
        taken.remove(connection);
        String address = ofAddress.remove(connection);
        if (address != null) {
            addresses.remove(address);
        }
        budget.release(HttpBudgets.STREAM_BYTES);
    }

    private static @Nullable OpenConnection longestStanding(
            Collection<OpenConnection> taken, long nowNanos) {
        OpenConnection standing = null;
        long most = PATIENCE.toNanos() - 1;
        for (OpenConnection connection : taken) {
            long nanos = connection.stoodNanos(nowNanos);
            if (nanos > most) {
                most = nanos;
                standing = connection;
            }
        }
        return standing;
    }
}
