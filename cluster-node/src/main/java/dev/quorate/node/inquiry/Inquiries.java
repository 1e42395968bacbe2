package dev.quorate.node.inquiry;

import dev.quorate.node.inquiry.KeyReport.MemberReport;
import dev.quorate.router.message.HeldKey;
import dev.quorate.router.message.ReplicaAnswer;
import dev.quorate.router.message.ReplicaAnswer.Failed;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import dev.quorate.router.message.ReplicaRequest;
import dev.quorate.router.replica.Replica;
import dev.quorate.router.ring.LivePlacement;
import dev.quorate.router.ring.Placement;
import dev.quorate.router.ring.Ring;
import dev.quorate.router.runtime.Ticker;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Asks every member for its entries of a key, with the deadline of an operation. */
public final class Inquiries {

    /** Maximum number at once, since any client may ask. */
    private static final int MAX_AT_ONCE = 8;

    private final LivePlacement live;
    private final Supplier<? extends Collection<? extends Replica>> replicas;
    private final Ticker ticker;
    private final Duration timeout;
    private final Duration maxClockDrift;
    private final AtomicInteger underWay = new AtomicInteger();

    /**
     * @param replicas returns one for each member of the topology in use
     * @param timeout the time that a member may take
     * @param maxClockDrift how far ahead of a node's clock an accepted entry may be
     */
    public Inquiries(
            LivePlacement live,
            Supplier<? extends Collection<? extends Replica>> replicas,
            Ticker ticker,
            Duration timeout,
            Duration maxClockDrift) {
        this.live = live;
        this.replicas = replicas;
        this.ticker = ticker;
        this.timeout = timeout;
        this.maxClockDrift = maxClockDrift;
    }

    /**
     * Asks all members.
     *
     * @param done called once, on any thread; must not block
     * @return false if too many are in progress; {@code done} is not called then
     */
    public boolean ask(byte[] key, Consumer<KeyReport> done) {
        if (underWay.incrementAndGet() > MAX_AT_ONCE) {
            underWay.decrementAndGet();
            return false;
        }
        Placement placement = live.current();
        List<Member> members = placement.inOrder(key);
        Inquiry inquiry = new Inquiry(key, placement, members, done);
        Map<Member, Replica> byMember = new HashMap<>();
        replicas.get().forEach(each -> byMember.put(each.member(), each));
        ReplicaRequest request = new ReplicaRequest.Inquire(key);
        long deadlineNanos = ticker.nanos() + timeout.toNanos();
        for (int i = 0; i < members.size(); i++) {
            int index = i;
            Replica replica = byMember.get(members.get(i));
            if (replica == null) {
                inquiry.answered(
                        index, new Failed(Failure.NOT_ASKED, "there is no connection to it"));
            } else {
                replica.ask(request, deadlineNanos, answer -> inquiry.answered(index, answer));
            }
        }
        return true;
    }

    /** An inquiry in progress. The lock guards the answers; nothing is called with it held. */
    private final class Inquiry {

        private final byte[] key;
        private final Placement placement;
        private final List<Member> members;
        private final Consumer<KeyReport> done;
        private final @Nullable ReplicaAnswer[] answers;
        private int missing;

        Inquiry(byte[] key, Placement placement, List<Member> members, Consumer<KeyReport> done) {
            this.key = key;
            this.placement = placement;
            this.members = members;
            this.done = done;
            this.answers = new ReplicaAnswer[members.size()];
            this.missing = members.size();
        }

        void answered(int index, ReplicaAnswer answer) {
            synchronized (this) {
                if (answers[index] != null) {
                    return;
                }
                answers[index] = answer;
                if (--missing > 0) {
                    return;
                }
            }
            underWay.decrementAndGet();
            done.accept(report());
        }

        private synchronized KeyReport report() {
            List<MemberReport> reports = new ArrayList<>();
            for (int i = 0; i < members.size(); i++) {
                ReplicaAnswer answer = answers[i];
                HeldKey held = null;
                Failed failed = null;
                if (answer instanceof ReplicaAnswer.Inquired inquired) {
                    held = inquired.held();
                } else if (answer instanceof Failed why) {
                    failed = why;
                } else {
                    failed = new Failed(Failure.FAILED, "it answered something else");
                }
                Member member = members.get(i);
                reports.add(
                        new MemberReport(
                                member.name(),
                                member.number(),
                                i + 1,
                                owns(member, placement.before()),
                                owns(member, placement.after()),
                                held,
                                failed));
            }
            long maxAheadMillis = maxClockDrift.toMillis();
            Topology topology = placement.topology();
            KeyReport report = new KeyReport(key, topology, maxAheadMillis, reports, List.of());
            return new KeyReport(key, topology, maxAheadMillis, reports, Conclusions.of(report));
        }

        private boolean owns(Member member, Ring ring) {
            return ring.replicas(key, ring.topology().replicationFactor()).contains(member);
        }
    }
}
