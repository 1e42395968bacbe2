package dev.quorate.router.replica;

import dev.quorate.router.clock.HybridClock;
import dev.quorate.router.message.AnswerCallback;
import dev.quorate.router.message.ReplicaAnswer;
import dev.quorate.router.message.ReplicaAnswer.Failed;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import dev.quorate.router.message.ReplicaRequest;
import dev.quorate.router.runtime.Deadlines;
import dev.quorate.router.runtime.Ticker;
import dev.quorate.router.topology.Member;
import dev.quorate.storage.KeyValueStore;
import java.util.concurrent.Executor;

/** Replicas without other members. */
public final class PlainReplica {

    /** Refuses all. */
    public static final PeerRequestHandler NO_PEERS =
            new PeerRequestHandler() {
                @Override
                public ReplicaAnswer compare(ReplicaRequest.Compare request) {
                    return new Failed(Failure.REFUSED, "this replica compares nothing");
                }

                @Override
                public ReplicaAnswer streamPage(ReplicaRequest.StreamPage request) {
                    return new Failed(Failure.REFUSED, "this replica streams nothing");
                }

                @Override
                public ReplicaAnswer streamRecords(ReplicaRequest.StreamRecords request) {
                    return new Failed(Failure.REFUSED, "this replica streams nothing");
                }

                @Override
                public ReplicaAnswer announce(ReplicaRequest.Announce request) {
                    return new Failed(Failure.REFUSED, "this replica has no members");
                }

                @Override
                public void propose(ReplicaRequest.Propose request, AnswerCallback callback) {
                    callback.answered(new Failed(Failure.REFUSED, "this replica accepts nothing"));
                }

                @Override
                public void tell(ReplicaRequest.Tell request, AnswerCallback callback) {
                    callback.answered(new Failed(Failure.REFUSED, "this replica has no members"));
                }
            };

    /** Nothing is known: any entry may still arrive. */
    public static final Horizon NO_HORIZON =
            new Horizon() {
                @Override
                public long gcWatermarkMillis() {
                    return 0;
                }

                @Override
                public long oldestWriteMillis(long nowMillis) {
                    return 0;
                }
            };

    private PlainReplica() {}

    /** A replica that refuses comparisons and inquiries. */
    public static LocalReplica of(
            Member member,
            KeyValueStore store,
            HybridClock clock,
            Ticker ticker,
            Deadlines deadlines,
            Executor blockingReads) {
        return new LocalReplica(
                member,
                store,
                clock,
                ticker,
                deadlines,
                blockingReads,
                new MemberServices(
                        blockingReads,
                        NO_PEERS,
                        key -> new Failed(Failure.REFUSED, "nothing is inquired here"),
                        NO_HORIZON));
    }
}
