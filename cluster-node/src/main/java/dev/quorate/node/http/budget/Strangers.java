package dev.quorate.node.http.budget;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The unauthenticated connections of a listener, the oldest first. Their number is limited, and one
 * address may have a quarter of it. A new connection beyond the limit replaces the oldest; beyond
 * its address's quarter, the oldest of that address. So unauthenticated clients exclude each other,
 * and authenticated ones for no longer than a handshake takes.
 *
 * <p>Thread-safe; calls nothing.
 */
public final class Strangers {

    private static final int SHARE_OF_ONE_ADDRESS = 4;

    private final int most;
    private final int mostOfOneAddress;

    /** From each connection to its address. Guarded by this. */
    private final Map<OpenConnection, String> connections = new LinkedHashMap<>();

    public Strangers(int most) {
        this.most = most;
        mostOfOneAddress = Math.max(1, most / SHARE_OF_ONE_ADDRESS);
    }

    /**
     * Adds a connection. Returns the connection that it replaces, which the caller must close; null
     * if none.
     */
    public synchronized @Nullable OpenConnection add(OpenConnection connection, String address) {
        OpenConnection oldest = null;
        OpenConnection oldestOfAddress = null;
        int ofAddress = 0;
        for (Map.Entry<OpenConnection, String> each : connections.entrySet()) {
            oldest = oldest == null ? each.getKey() : oldest;
            if (each.getValue().equals(address)) {
                oldestOfAddress = oldestOfAddress == null ? each.getKey() : oldestOfAddress;
                ofAddress++;
            }
        }
        OpenConnection leaves = null;
        if (ofAddress >= mostOfOneAddress) {
            leaves = oldestOfAddress;
        } else if (connections.size() >= most) {
            leaves = oldest;
        }
        if (leaves != null) {
            connections.remove(leaves);
        }
        connections.put(connection, address);
        return leaves;
    }

    /** Removes a connection that has authenticated or is closed. */
    public synchronized void remove(OpenConnection connection) {
        connections.remove(connection);
    }
}
