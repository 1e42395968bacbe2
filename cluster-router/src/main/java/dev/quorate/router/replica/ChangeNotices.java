package dev.quorate.router.replica;

import static java.util.stream.Collectors.groupingBy;

import dev.quorate.router.message.ReplicaAnswer;
import dev.quorate.router.message.ReplicaRequest;
import dev.quorate.router.replica.KeyWatches.Watch;
import dev.quorate.router.runtime.Scheduler;
import dev.quorate.router.runtime.Ticker;
import dev.quorate.router.token.Token;
import dev.quorate.storage.Figures;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Tells coordinators of writes to the keys that they wait for. A coordinator that cannot be told is
 * told again until its registration ends. Thread-safe.
 */
public final class ChangeNotices implements AutoCloseable {

    private static final Duration EXPIRES_EVERY = Duration.ofSeconds(5);
    private static final Duration AGAIN_AFTER = Duration.ofMillis(200);
    private static final long ANSWER_WITHIN_NANOS = 1_000_000_000;

    private final KeyWatches watches = new KeyWatches();
    private final PrefixCounts prefixes;
    private volatile int counted;
    private final int self;
    private final Consumer<List<Long>> own;
    private final IntFunction<@Nullable Replica> others;
    private final Ticker ticker;
    private final Scheduler scheduler;
    private final Scheduler.Cancellable expiry;

    /**
     * @param self the number of this member
     * @param own receives the ids of this member's waits
     * @param others finds another member by its number; null for one that has left
     */
    public ChangeNotices(
            int self,
            Consumer<List<Long>> own,
            IntFunction<@Nullable Replica> others,
            Ticker ticker,
            Scheduler scheduler,
            RandomGenerator random) {
        this.self = self;
        this.own = own;
        this.others = others;
        this.ticker = ticker;
        this.scheduler = scheduler;
        this.prefixes = new PrefixCounts(random, this::report);
        this.expiry = scheduler.every(EXPIRES_EVERY, this::expire);
    }

    private synchronized void expire() {
        watches.expire(ticker.nanos());
        if (counted > 0) {
            counted = prefixes.expire(ticker.nanos());
        }
    }

    /** See {@link PeerRequestHandler#position}. */
    public synchronized long position(byte[] prefix) {
        long position = prefixes.position(prefix, ticker.nanos());
        counted = prefixes.size();
        return position;
    }

    /** Registers a wait, or ends it; false if there are too many. */
    public boolean watch(ReplicaRequest.Watch request) {
        byte[] key = request.key();
        long token = request.isPrefix() ? PrefixCounts.token(key) : Token.hash(key);
        if (request.millis() == 0) {
            watches.remove(token, request.member(), request.id());
            return true;
        }
        long untilNanos = ticker.nanos() + request.millis() * 1_000_000L;
        return watches.add(token, new Watch(request.member(), request.id(), untilNanos));
    }

    /** Another member tells of writes. */
    public void changed(ReplicaRequest.Changed told) {
        own.accept(told.ids());
    }

    /** The number of registered waits. */
    public Figures figures() {
        Figures figures = new Figures();
        String help = "Waits of all members registered for keys of this member.";
        figures.gauge("waits_registered", help, watches::size);
        String below = "Prefixes below which this member counts changes for waits.";
        figures.gauge("prefixes_counted", below, () -> counted);
        return figures;
    }

    /** Whether a write need not be reported: nothing was registered or counted before the call. */
    public boolean isIdle() {
        VarHandle.fullFence(); // or this misses the registration, and who registers the entry
        return (watches.size() | counted) == 0;
    }

    /** Reports that an entry of a key has become visible. A timer sends: the caller has others. */
    public void stored(byte[] key) {
        prefixes.stored(key);
        report(Token.hash(key));
    }

    private void report(long token) {
        List<Watch> taken = watches.take(token);
        if (!taken.isEmpty()) {
            scheduler.after(Duration.ZERO, () -> send(taken));
        }
    }

    private void send(List<Watch> taken) {
        long now = ticker.nanos();
        taken.stream()
                .filter(each -> now - each.untilNanos() < 0)
                .collect(groupingBy(Watch::member))
                .forEach(this::send);
    }

    private void send(int member, List<Watch> all) {
        int most = ReplicaRequest.Changed.MAX_IDS;
        for (int i = 0; i < all.size(); i += most) {
            List<Watch> some = all.subList(i, Math.min(all.size(), i + most));
            var changed = new ReplicaRequest.Changed(some.stream().map(Watch::id).toList());
            Replica other = others.apply(member);
            if (member == self) {
                changed(changed);
            } else if (other != null) {
                other.ask(
                        changed,
                        ticker.nanos() + ANSWER_WITHIN_NANOS,
                        answer -> {
                            if (answer instanceof ReplicaAnswer.Failed) {
                                scheduler.after(AGAIN_AFTER, () -> send(some));
                            }
                        });
            }
        }
    }

    @Override
    public void close() {
        expiry.cancel();
    }
}
