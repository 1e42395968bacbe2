package dev.quorate.node.coordinator;

import dev.quorate.router.topology.Member;
import dev.quorate.storage.Entry;

/**
 * Told of each replica that does not have a write which its client was told is written: it failed,
 * was late, or was not asked because it was thought to be down. Some of these have it all the same.
 *
 * <p>Never told of a write that ended otherwise, nor of an attempt that was restamped.
 */
@FunctionalInterface
public interface HintSink {

    /** Keeps no hints: as where a node has no peers. */
    HintSink NONE = (member, entry) -> {};

    /**
     * That member is one of the entry's replicas, perhaps this node itself. Called on any thread,
     * also one that serves many, after the client has been answered: must not block or throw.
     */
    void missed(Member member, Entry entry);

    /** Whether a write that this member misses would be kept for it now. No promise. */
    default boolean isKept(Member member, Entry entry) {
        return false;
    }
}
