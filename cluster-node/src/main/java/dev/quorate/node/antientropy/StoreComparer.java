package dev.quorate.node.antientropy;

import dev.quorate.router.message.ReplicaAnswer;
import dev.quorate.router.message.ReplicaAnswer.Failed;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import dev.quorate.router.message.ReplicaRequest;
import dev.quorate.router.ring.LivePlacement;
import dev.quorate.router.ring.Placement;
import dev.quorate.router.runtime.Ticker;
import dev.quorate.router.topology.Member;
import dev.quorate.storage.KeyValueStore;

/** Answers the other members' comparisons. Stateless. */
public record StoreComparer(KeyValueStore store, LivePlacement live, Member self, Ticker ticker) {

    /** See {@code PeerRequestHandler.compare}. */
    public ReplicaAnswer compare(ReplicaRequest.Compare request) {
        Placement placement = live.current();
        for (Member member : placement.topology().members()) {
            if (member.number() == request.member()) {
                CommonOwnership shared = new CommonOwnership(placement, self, member);
                RangeReader reader = new RangeReader(store, shared, ticker, request.salt());
                reader.ignoreTombstonesBefore(request.gcWatermarkMillis());
                return new ReplicaAnswer.Compared(reader.compare(request));
            }
        }
        return new Failed(Failure.REFUSED, "it compares for a node that is not a member");
    }
}
