package dev.quorate.node.http;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The connections of a listener whose clients have not proved who they are, the oldest first. There
 * are only so many, and of one address a quarter of that: who comes when there are more takes the
 * place of the one that has had the most time, of his own address if that has its quarter. So
 * strangers exclude each other, and nobody else for longer than a proof takes.
 *
 * <p>Safe for use by many threads; calls nobody.
 */
final class Strangers {

    private static final int SHARE_OF_ONE_ADDRESS = 4;

    private final int most;
    private final int mostOfOneAddress;

    /** To the address of each. Guarded by this. */
    private final Map<OpenConnection, String> connections = new LinkedHashMap<>();

    Strangers(int most) {
        this.most = most;
        mostOfOneAddress = Math.max(1, most / SHARE_OF_ONE_ADDRESS);
    }

    /** Adds one. Returns whose place it takes, which the caller closes; null if nobody's. */
    synchronized @Nullable OpenConnection add(OpenConnection connection, String address) {
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

    /** It is known, or gone. */
    synchronized void remove(OpenConnection connection) {
        connections.remove(connection);
    }

    synchronized int count() {
        return connections.size();
    }
}
