package dev.quorate.node.http.connection;

import dev.quorate.router.runtime.AddressTurns;
import java.util.LinkedHashSet;
import java.util.SequencedSet;
import org.jspecify.annotations.Nullable;

/**
 * The costly steps of handshakes that wait for a thread. Addresses alternate, so that an address
 * with thousands of connections delays only itself. Every second step is for addresses of members,
 * however many other addresses wait.
 *
 * <p>Thread-safe: its lock guards everything.
 */
final class HandshakeQueue {

    /** Maximum number of waiting steps: more than connections may be in a handshake. */
    static final int MAX_STEPS = 4_096;

    /** The waiting time after which clients have given up. */
    static final long PATIENCE_NANOS = 2_000_000_000L;

    /** Larger than the number of members, because they may move. */
    private static final int MAX_MEMBER_ADDRESSES = 256;

    /**
     * A step of a connection.
     *
     * @param sinceNanos when it began to wait
     * @param drop ends the connection instead
     */
    record Step(String address, long sinceNanos, Runnable work, Runnable drop) {}

    private final AddressTurns<Step> ofMembers = new AddressTurns<>();
    private final AddressTurns<Step> ofOthers = new AddressTurns<>();

    /** Addresses of members, in the order of their latest handshakes. */
    private final SequencedSet<String> members = new LinkedHashSet<>();

    private boolean isMembersTurn = true;
    private int size;

    /** Notes that an address has shown a member's certificate. */
    synchronized void noteMember(String address) {
        members.addLast(address);
        if (members.size() > MAX_MEMBER_ADDRESSES) {
            members.removeFirst();
        }
    }

    /** Adds a step; false if too many wait. */
    synchronized boolean add(Step step) {
        if (size == MAX_STEPS) {
            return false;
        }
        size++;
        (members.contains(step.address()) ? ofMembers : ofOthers).add(step.address(), step);
        return true;
    }

    /** Removes a step; false if it no longer waits. */
    synchronized boolean remove(Step step) {
        boolean isRemoved =
                ofOthers.remove(step.address(), step) || ofMembers.remove(step.address(), step);
        size -= isRemoved ? 1 : 0;
        return isRemoved;
    }

    /** The next step, removed; null if none waits. */
    synchronized @Nullable Step next() {
        boolean takesMember = !ofMembers.isEmpty() && (isMembersTurn || ofOthers.isEmpty());
        AddressTurns<Step> turns = takesMember ? ofMembers : ofOthers;
        Step first = turns.first();
        if (first != null) {
            turns.takeFirst();
            size--;
            isMembersTurn = !takesMember;
        }
        return first;
    }
}
