package dev.quorate.node.coordinator;

import dev.quorate.router.placement.ReplicaSelector;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.router.topology.Member;
import java.util.List;
import java.util.Set;

/** For each key, as many of its first {@code from} replicas as the quorum needs. */
record QuorumOfEach(ReplicaSelector selector, QuorumSpec spec) implements ScanRule {

    @Override
    public boolean isCompleteWithout(Set<String> downMembers) {
        return selector.everyRangeReaches(spec, downMembers);
    }

    @Override
    public List<Member> counting(byte[] key) {
        return selector.replicas(key, spec.from());
    }
}
