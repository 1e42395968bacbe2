package dev.quorate.node.coordinator;

import dev.quorate.router.topology.Member;
import java.util.List;
import java.util.Set;

/** Whose answers a range read needs, and whose count for which key. */
sealed interface ScanRule permits OneReplica, QuorumOfEach {

    /** Whether the range is complete although these members do not answer. */
    boolean isCompleteWithout(Set<String> downMembers);

    /** The members whose entry of that key counts. */
    List<Member> counting(byte[] key);
}
