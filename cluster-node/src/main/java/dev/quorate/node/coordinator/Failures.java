package dev.quorate.node.coordinator;

import dev.quorate.node.coordinator.Outcome.ReplicaFailure;
import dev.quorate.node.message.ReplicaAnswer.Failed;
import dev.quorate.node.message.ReplicaAnswer.Failure;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.router.topology.Member;
import java.util.ArrayList;
import java.util.List;

/**
 * The replicas of one operation that did not do their part, and what a client is to be told of it.
 * Not safe for use by many threads; the operation guards it.
 */
final class Failures {

    private final List<ReplicaFailure> failures = new ArrayList<>(2);
    private boolean indeterminate;
    private int shortages;
    private String shortage = "";

    void add(Member member, Failed failed) {
        failures.add(new ReplicaFailure(member.name(), failed.reason(), failed.detail()));
        indeterminate |= failed.reason().isIndeterminate();
        if (isShortage(failed.reason())) {
            shortages++;
            shortage = member.name() + ": " + failed.detail();
        }
    }

    /** Whether a write may have been stored by a replica that failed. */
    boolean isIndeterminate() {
        return indeterminate;
    }

    /**
     * Whether enough replicas would have been there, and only want of room or time turned the
     * operation away: then it is worth trying again soon.
     */
    boolean isForWantOfRoom(QuorumSpec spec) {
        return shortages > 0 && failures.size() - shortages <= spec.from() - spec.ack();
    }

    /** A replica that had no room, in one phrase. */
    String shortage() {
        return shortage;
    }

    List<ReplicaFailure> list() {
        return failures;
    }

    private static boolean isShortage(Failure failure) {
        return switch (failure) {
            case OVERLOADED, DISK_FULL, STOPPING -> true;
            case TIMEOUT, UNREACHABLE, BREAKER_OPEN, CORRUPT, FAILED, REFUSED, NOT_ASKED -> false;
        };
    }
}
