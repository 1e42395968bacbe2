package dev.quorate.router.coordinator.operation;

import dev.quorate.router.topology.Member;
import dev.quorate.storage.Entry;

/**
 * Receives each replica that missed an acknowledged write: it failed, was late, or was not asked
 * because it was considered down. Some of these may have stored it nevertheless.
 *
 * <p>Receives nothing for writes that ended otherwise, or for attempts that were restamped.
 */
@FunctionalInterface
public interface HintSink {

    /**
     * Notes that a replica of the entry, perhaps this node itself, missed it. Called on any thread,
     * also on a selector's, after the client has been answered: must not block or throw.
     */
    void missed(Member member, Entry entry);

    /** Whether a hint for a write that this member misses would be stored now; not a guarantee. */
    default boolean isKept(Member member, Entry entry) {
        return false;
    }
}
