package dev.quorate.node.antientropy;

import dev.quorate.node.membership.Announcements.OtherMember;
import dev.quorate.node.membership.MemberProgress;
import dev.quorate.router.runtime.NodeRuntime;
import dev.quorate.router.runtime.Scheduler;
import dev.quorate.router.runtime.Ticker;
import dev.quorate.router.topology.Member;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Starts repairs with peers that were absent, as {@link Absences} decides, one after the other and
 * not during another round of repairs.
 *
 * <p>Its lock guards every field that changes; only the suppliers and the scheduler are called with
 * it held.
 */
public final class RepairsOnReturn implements AutoCloseable {

    private static final Duration CHECK_EVERY = Duration.ofSeconds(1);

    private final Repairs repairs;
    private final Supplier<List<OtherMember>> peers;
    private final MemberProgress progress;
    private final Ticker ticker;
    private final Scheduler scheduler;
    private final RandomGenerator random;

    private final Absences absences = new Absences();
    private @Nullable String comparing;
    private long round;
    private boolean closed;
    private Scheduler.Cancellable checking = () -> {};

    public RepairsOnReturn(
            Repairs repairs,
            Supplier<List<OtherMember>> peers,
            MemberProgress progress,
            NodeRuntime runtime) {
        this.repairs = repairs;
        this.peers = peers;
        this.progress = progress;
        this.ticker = runtime.ticker();
        this.scheduler = runtime.scheduler();
        this.random = runtime.random();
    }

    /** Starts observing the peers. */
    public void start() {
        repairs.whenRoundEnds(this::roundEnded);
        synchronized (this) {
            if (!closed) {
                checking = scheduler.every(CHECK_EVERY, this::check);
            }
        }
    }

    private void check() {
        String due;
        synchronized (this) {
            long now = ticker.nanos();
            for (OtherMember peer : peers.get()) {
                Member member = peer.replica().member();
                absences.observe(
                        member.name(),
                        peer.isUp().getAsBoolean() && progress.hasItsData(member),
                        progress.lifeOf(member.number()),
                        now,
                        random.nextDouble());
            }
            due = closed || comparing != null ? null : absences.due(now);
        }
        // A member that gets data compares with the others anyway.
        if (due == null || progress.needsData() || repairs.status().running()) {
            return;
        }
        long expected = repairs.status().round() + 1;
        synchronized (this) {
            absences.onCompareStarted(due, ticker.nanos());
            comparing = due;
            round = expected;
        }
        if (repairs.begin(List.of(due)) != expected) {
            compared(Set.of()); // another round began first
        }
    }

    private synchronized void roundEnded(long ended, Set<String> agreedWith) {
        if (ended == round) {
            compared(agreedWith);
        }
    }

    private synchronized void compared(Set<String> agreedWith) {
        if (comparing != null && !agreedWith.contains(comparing)) {
            absences.failed(comparing, ticker.nanos(), random.nextDouble());
        }
        comparing = null;
    }

    @Override
    public synchronized void close() {
        closed = true;
        checking.cancel();
    }
}
