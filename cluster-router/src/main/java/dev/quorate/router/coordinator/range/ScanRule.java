package dev.quorate.router.coordinator.range;

import dev.quorate.router.replica.Replica;
import dev.quorate.router.topology.Member;
import java.util.Collection;
import java.util.List;
import java.util.Set;

/** Which members' answers a range read needs, and which count for a key. */
interface ScanRule {

    Collection<Replica> replicas();

    /** Whether the range can be read without these members. */
    boolean isCompleteWithout(Set<String> downMembers);

    /** The members whose entry counts for a key. */
    List<Member> counting(byte[] key);

    /** How many owners of a key are repaired if they differ. */
    default int from(byte[] key) {
        return counting(key).size();
    }
}
