package dev.quorate.node.inquiry;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.node.inquiry.KeyReport.MemberReport;
import dev.quorate.router.Topologies;
import dev.quorate.router.message.AnswerCallback;
import dev.quorate.router.message.HeldKey;
import dev.quorate.router.message.MemberState;
import dev.quorate.router.message.MemberStates;
import dev.quorate.router.message.ReplicaAnswer;
import dev.quorate.router.message.ReplicaAnswer.Failed;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import dev.quorate.router.message.ReplicaRequest;
import dev.quorate.router.replica.MemoryStore;
import dev.quorate.router.replica.PlainReplica;
import dev.quorate.router.replica.Replica;
import dev.quorate.router.ring.Ring;
import dev.quorate.router.runtime.ManualTime;
import dev.quorate.router.topology.LiveTopology;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Every member is asked, whoever owns the key, and none can hold up the report for ever. */
class InquiriesTest {

    private static final byte[] KEY = "key".getBytes(US_ASCII);

    private final Topology topology =
            Topology.parse("n1=http://a:1,n2=http://b:1,n3=http://c:1,n4=http://d:1");
    private final Ring ring = new Ring(topology);
    private final List<Asked> members = topology.members().stream().map(Asked::new).toList();
    private final ManualTime time = new ManualTime();
    private final Inquiries inquiries =
            new Inquiries(
                    Topologies.live(ring),
                    () -> members,
                    time,
                    Duration.ofSeconds(1),
                    Duration.ofMillis(500));
    private final List<KeyReport> reports = new ArrayList<>();

    /** A member that answers when it is told to. */
    private static final class Asked implements Replica {
        private final Member member;
        private final List<AnswerCallback> waiting = new ArrayList<>();
        private long deadlineNanos;

        Asked(Member member) {
            this.member = member;
        }

        @Override
        public Member member() {
            return member;
        }

        @Override
        public void ask(ReplicaRequest request, long deadline, AnswerCallback callback) {
            assertThat(((ReplicaRequest.Inquire) request).key()).isEqualTo(KEY);
            deadlineNanos = deadline;
            waiting.add(callback);
        }

        void answer(ReplicaAnswer answer) {
            waiting.forEach(each -> each.answered(answer));
        }
    }

    private static final MemberState NEWS =
            MemberStates.of(1, MemberState.Condition.WHOLE, 2, 3, 4, 5);

    private static ReplicaAnswer nothing() {
        return new ReplicaAnswer.Inquired(
                new HeldKey(NEWS, 0, true, List.of(), List.of(), List.of()));
    }

    @Test
    void allMembersAreAskedInTheOrderOfTheRing() {
        assertThat(inquiries.ask(KEY, reports::add)).isTrue();
        assertThat(members).allMatch(member -> member.deadlineNanos == 1_000_000_000L);
        members.get(0).answer(nothing());
        members.get(0).answer(new Failed(Failure.FAILED, "again"));
        members.get(1).answer(new Failed(Failure.TIMEOUT, "late"));
        members.get(2).answer(ReplicaAnswer.Absent.ABSENT);
        assertThat(reports).isEmpty();
        members.get(3).answer(nothing());

        KeyReport report = reports.getFirst();
        assertThat(reports).hasSize(1);
        assertThat(report.members())
                .extracting(MemberReport::name)
                .containsExactlyElementsOf(
                        ring.replicas(KEY, 4).stream().map(Member::name).toList());
        assertThat(report.members())
                .extracting(MemberReport::isOwner)
                .containsExactly(true, true, true, false);
        assertThat(of(report, "n1").held()).isNotNull();
        assertThat(of(report, "n2").failed()).isEqualTo(new Failed(Failure.TIMEOUT, "late"));
        assertThat(of(report, "n3").failed()).isNotNull();
        assertThat(report.isFound()).isFalse();
        assertThat(report.isWhole()).isFalse();
        assertThat(report.conclusions()).isNotEmpty();
    }

    private static MemberReport of(KeyReport report, String name) {
        return report.members().stream()
                .filter(member -> member.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void onlyAFewAreUnderWayAtOnce() {
        int taken = 0;
        while (inquiries.ask(KEY, reports::add)) {
            taken++;
            assertThat(taken).isLessThan(100);
        }
        assertThat(taken).isPositive();
        members.forEach(member -> member.answer(nothing()));
        assertThat(reports).hasSize(taken);
        assertThat(inquiries.ask(KEY, reports::add)).isTrue();
    }

    @Test
    void aNodeReportsItsEntriesAndItsHints() {
        MemoryStore store = new MemoryStore();
        Timestamp stamp = new Timestamp(7, 7);
        store.put(Entry.value(KEY, stamp, new byte[9], 3));
        assertThat(held(store, Map.of("n2", stamp, "gone", stamp)))
                .satisfies(
                        held -> {
                            assertThat(held.state()).isEqualTo(NEWS);
                            assertThat(held.gcWatermarkMillis()).isZero();
                            assertThat(held.isWhole()).isTrue();
                            assertThat(held.entries().getFirst().valueBytes()).isEqualTo(9);
                            assertThat(held.hints())
                                    .containsExactly(
                                            new HeldKey.Hint(
                                                    topology.members().get(1).number(), stamp));
                        });
        assertThat(held(store, null).isWhole()).isFalse();
    }

    private HeldKey held(MemoryStore store, @Nullable Map<String, Timestamp> kept) {
        ReplicaAnswer answer =
                new StoreInquirer(
                                store,
                                key -> kept,
                                new LiveTopology(topology),
                                () -> NEWS,
                                PlainReplica.NO_HORIZON)
                        .apply(KEY);
        return ((ReplicaAnswer.Inquired) answer).held();
    }
}
