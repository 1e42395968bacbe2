package dev.quorate.node.http.budget;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Counts the resources of each address, such as connections or bytes. Thread-safe. */
public final class AddressCounts {

    private static final int NETWORK_BYTES = 8;

    private final long most;
    private final ConcurrentHashMap<String, Long> counts = new ConcurrentHashMap<>();

    /**
     * @param most the limit of one address
     */
    public AddressCounts(long most) {
        this.most = most;
    }

    /** The address that a connection counts for; with IPv6, its network of 64 bits. */
    public static String of(@Nullable InetSocketAddress remote) {
        InetAddress address = remote == null ? null : remote.getAddress();
        if (address == null) {
            return "";
        }
        byte[] bytes = address.getAddress();
        return HexFormat.of()
                .formatHex(
                        address instanceof Inet6Address
                                ? Arrays.copyOf(bytes, NETWORK_BYTES)
                                : bytes);
    }

    /** Counts one; false, without counting it, if the address has reached its limit. */
    public boolean tryAdd(String address) {
        return tryAdd(address, 1, most);
    }

    /** The same for an amount. The first amount of an address is not limited. */
    public boolean tryAdd(String address, long amount) {
        return tryAdd(address, amount, most);
    }

    /** The same with another limit. */
    boolean tryAdd(String address, long amount, long most) {
        boolean[] isAdded = {true};
        counts.merge(
                address,
                amount,
                (before, more) -> {
                    isAdded[0] = before + more <= most;
                    return isAdded[0] ? before + more : before;
                });
        return isAdded[0];
    }

    public void remove(String address) {
        remove(address, 1);
    }

    public void remove(String address, long amount) {
        counts.computeIfPresent(address, (key, count) -> count <= amount ? null : count - amount);
    }
}
