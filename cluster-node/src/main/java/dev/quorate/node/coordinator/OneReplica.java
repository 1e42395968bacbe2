package dev.quorate.node.coordinator;

import dev.quorate.router.topology.Member;
import java.util.List;
import java.util.Set;

/** The entries of one member's store, whether it owns them or not. */
record OneReplica(Member member) implements ScanRule {

    @Override
    public boolean isCompleteWithout(Set<String> downMembers) {
        return downMembers.isEmpty();
    }

    @Override
    public List<Member> counting(byte[] key) {
        return List.of(member);
    }
}
