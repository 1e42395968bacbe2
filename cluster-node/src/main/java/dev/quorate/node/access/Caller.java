package dev.quorate.node.access;

import dev.quorate.storage.KeyRange;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The sender of a request, as far as its token says. */
public final class Caller {

    private static final byte[] ALL_KEYS = {};

    /** Whoever sends a request to a node without tokens. */
    public static final Caller ANYBODY = new Caller("anybody", Role.ADMIN, ALL_KEYS, Shares.NONE);

    private final String name;
    private final Role role;
    private final byte[] prefix;
    private final Usage usage;

    /**
     * @param name of the token
     * @param prefix with which all keys begin that the caller may use; empty for all keys
     * @param shares what it may take
     */
    Caller(String name, Role role, byte[] prefix, Shares shares) {
        this(name, role, prefix, new Usage(shares));
    }

    private Caller(String name, Role role, byte[] prefix, Usage usage) {
        this.name = name;
        this.role = role;
        this.prefix = prefix.clone();
        this.usage = usage;
    }

    /** This caller, with what that one has taken of its shares so far. */
    Caller continuing(Caller before) {
        return new Caller(name, role, prefix, before.usage.with(shares()));
    }

    public String name() {
        return name;
    }

    public Role role() {
        return role;
    }

    /** With which all keys begin that the caller may use; empty for all keys. */
    byte[] prefix() {
        return prefix.clone();
    }

    /** What it may take of a node. */
    public Shares shares() {
        return usage.shares();
    }

    /**
     * Counts a request, if it may be sent now.
     *
     * @return 0 if it may; otherwise after how many nanoseconds it may
     */
    public long takeRequest(long nowNanos) {
        CellRate rate = usage.requests;
        return rate == null ? 0 : rate.take(nowNanos);
    }

    /** Counts requests that one has brought with it: they delay the next ones. */
    public void spendRequests(int requests, long nowNanos) {
        CellRate rate = usage.requests;
        if (rate != null) {
            rate.spend(requests, nowNanos);
        }
    }

    /** Whether its bytes are counted. */
    public boolean countsBytes() {
        return usage.bytes != null;
    }

    /**
     * After how many nanoseconds it may send or receive again, any number of bytes at once; 0 for
     * now.
     */
    public long bytesWaitNanos(long nowNanos) {
        CellRate rate = usage.bytes;
        return rate == null ? 0 : rate.waitNanos(nowNanos);
    }

    /** Counts bytes that it sends or receives: they delay the next ones. */
    public void spendBytes(long bytes, long nowNanos) {
        CellRate rate = usage.bytes;
        if (rate != null) {
            rate.spend(bytes, nowNanos);
        }
    }

    /** Counts a range that opens, if it may; then {@link #closeRange} follows once. */
    public boolean tryOpenRange() {
        return usage.tryOpenRange();
    }

    public void closeRange() {
        usage.closeRange();
    }

    public boolean mayUse(byte[] key) {
        return key.length >= prefix.length
                && Arrays.equals(key, 0, prefix.length, prefix, 0, prefix.length);
    }

    /**
     * Whether every key of a range may be used.
     *
     * @param start included
     * @param end not included; null for no end
     */
    public boolean mayUse(byte[] start, byte @Nullable [] end) {
        if (prefix.length == 0) {
            return true;
        }
        byte[] behind = KeyRange.afterPrefix(prefix);
        boolean endsInside =
                behind == null || (end != null && Arrays.compareUnsigned(end, behind) <= 0);
        return endsInside && Arrays.compareUnsigned(start, prefix) >= 0;
    }
}
