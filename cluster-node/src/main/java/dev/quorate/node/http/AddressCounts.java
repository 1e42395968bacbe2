package dev.quorate.node.http;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.concurrent.ConcurrentHashMap;
import one.nio.net.Socket;

/** Counts what each address has, such as connections. Thread-safe. */
final class AddressCounts {

    private static final int NETWORK_BYTES = 8;

    private final int most;
    private final ConcurrentHashMap<String, Integer> counts = new ConcurrentHashMap<>();

    AddressCounts(int most) {
        this.most = most;
    }

    /** The address that a connection counts for; with IPv6, its network of 64 bits. */
    static String of(Socket socket) {
        InetSocketAddress remote = socket.getRemoteAddress();
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
    boolean tryAdd(String address) {
        return tryAdd(address, most);
    }

    /** The same with another limit. */
    boolean tryAdd(String address, int most) {
        boolean[] isAdded = {true};
        counts.merge(
                address,
                1,
                (before, one) -> {
                    isAdded[0] = before < most;
                    return isAdded[0] ? before + one : before;
                });
        return isAdded[0];
    }

    void remove(String address) {
        counts.computeIfPresent(address, (key, count) -> count == 1 ? null : count - 1);
    }
}
