package dev.quorate.node.http.budget;

import dev.quorate.router.runtime.ByteBudget;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
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
        for (int i = 0; i < ATTEMPTS; i++) {
            if (tryTake(connection)) {
                return true;
            }
            OpenConnection standing = longestStanding(taken, nowNanos);
            if (standing == null) {
                return false;
            }
            standing.yieldPlace(nowNanos);
        }
        return tryTake(connection);
    }

    /**
     * The same, unless the connection's address has {@code most} places of this kind. Then it gets
     * the place of a client of the same address that does not read.
     */
    public Place acquireForAddress(OpenConnection connection, int most, long nowNanos) {
        String address = connection.address();
        boolean isCounted = addresses.tryAdd(address, 1, most);
        for (int i = 0; i < ATTEMPTS && !isCounted; i++) {
            OpenConnection standing = longestStanding(of(address), nowNanos);
            if (standing == null) {
                return Place.ADDRESS_HAS_ITS_SHARE;
            }
            standing.yieldPlace(nowNanos);
            isCounted = addresses.tryAdd(address, 1, most);
        }
        if (!isCounted) {
            return Place.ADDRESS_HAS_ITS_SHARE;
        }
        if (!acquire(connection, nowNanos)) {
            addresses.remove(address);
            return Place.NONE;
        }
        ofAddress.put(connection, address);
        return Place.TAKEN;
    }

    private List<OpenConnection> of(String address) {
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
