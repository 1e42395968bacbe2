package dev.quorate.node.http.budget;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.function.LongSupplier;

/**
 * The file descriptors of the process, of which each connection uses one. Connections must leave
 * some free: the store must be able to open a file at any time, and members must reach the node
 * when clients have used their share.
 *
 * <p>Thread-safe: its lock guards {@link #known}. Shared by the listeners of a process.
 */
public final class Descriptors {

    private static final int PART_OF_FILES = 8;
    private static final int PART_OF_PEERS = 16;
    private static final long MAX_OF_FILES = 1_024;

    private final long max;
    private final LongSupplier open;

    /** The number of open descriptors at the last query, plus those taken since. */
    private long known;

    /**
     * @param max the limit of the process
     * @param open queries the number of open descriptors; slow if there are many
     */
    public Descriptors(long max, LongSupplier open) {
        this.max = max;
        this.open = open;
        known = open.getAsLong();
    }

    /** The descriptors of this process; unlimited if the system does not report the limit. */
    public static Descriptors ofProcess() {
        return ManagementFactory.getOperatingSystemMXBean()
                        instanceof UnixOperatingSystemMXBean unix
                ? new Descriptors(
                        unix.getMaxFileDescriptorCount(), unix::getOpenFileDescriptorCount)
                : new Descriptors(Long.MAX_VALUE, () -> 0);
    }

    public long max() {
        return max;
    }

    /** The number of open descriptors from which on no client is accepted. */
    public long forClients() {
        return forPeers() - Math.min(max / PART_OF_PEERS, MAX_OF_FILES);
    }

    private long forPeers() {
        return max - Math.min(max / PART_OF_FILES, MAX_OF_FILES);
    }

    /** Whether a client's connection may be accepted; if so, it is counted. */
    public boolean takeForClient() {
        return reserve(forClients());
    }

    /** The same for the connection of a peer. */
    public boolean takeForPeer() {
        return reserve(forPeers());
    }

    private synchronized boolean reserve(long most) {
        if (known >= most) {
            known = open.getAsLong(); // Some may have been closed.
        }
        if (known >= most) {
            return false;
        }
        known++;
        return true;
    }
}
