package dev.quorate.node.antientropy;

import dev.quorate.node.membership.MemberProgress;
import dev.quorate.router.background.EntryWriter;
import dev.quorate.router.background.JobDriver;
import dev.quorate.router.replica.LocalReplica;
import dev.quorate.router.replica.Replica;
import dev.quorate.router.ring.LivePlacement;
import dev.quorate.router.runtime.EventLog;
import dev.quorate.router.runtime.NodeRuntime;
import dev.quorate.router.runtime.Pace;
import dev.quorate.router.topology.Member;
import dev.quorate.storage.Damage;
import dev.quorate.storage.KeyValueStore;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Heals damage on this node's disk: fetches the damaged ranges from every other member, then lets
 * the store replace the table. Until all of them have answered, reads in those ranges fail on this
 * node, and other replicas answer them.
 *
 * <p>A member that is damaged in the same keys cannot send everything. Healing continues without
 * that member if the others have the entries that it lost ({@link QuorumDamageRule}), or if an
 * operator accepts their loss.
 */
public final class Healing implements AutoCloseable {

    /** The delay before another attempt to replace a table. */
    private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

    /** The delay after a fetch that ended by a bug, which is logged each time. */
    private static final Duration RETRY_AFTER_BUG = Duration.ofMinutes(1);

    private final Supplier<List<Replica>> peers;
    private final KeyValueStore store;
    private final LivePlacement placement;
    private final MemberProgress progress;
    private final LocalReplica local;
    private final JobDriver.Means means;
    private final EventLog events;
    private final long bytesPerSecond;

    // Used by serial tasks only.
    private @Nullable Damage replaced;
    private boolean retries;
    private boolean started;
    private @Nullable AcceptedLoss accepted;

    private volatile @Nullable Fetching fetching;

    /** In a cluster of one, the loss that waits for acceptance. */
    private volatile @Nullable AcceptedLoss lonelyLoss;

    private volatile boolean closed;

    /**
     * @param peers every other member, asked in the repair lane
     * @param local this node
     * @param bytesPerSecond maximum bytes of messages per second; 0 for no limit
     */
    public Healing(
            Supplier<List<Replica>> peers,
            LocalReplica local,
            KeyValueStore store,
            LivePlacement placement,
            MemberProgress progress,
            long bytesPerSecond,
            NodeRuntime runtime) {
        this.peers = peers;
        this.store = store;
        this.placement = placement;
        this.progress = progress;
        this.local = local;
        this.means = new JobDriver.Means(runtime, EntryWriter.into(store), runtime.serial());
        this.events = runtime.events();
        this.bytesPerSecond = bytesPerSecond;
    }

    /** Starts: from now on peers can be asked. */
    public void start() {
        execute(
                () -> {
                    started = true;
                    healNext();
                });
    }

    /** Notes that damage was found in the store. Returns at once. */
    public void damaged() {
        execute(this::healNext);
    }

    private void execute(Runnable task) {
        means.serial().execute(task);
    }

    /** Begins to heal the next damage, unless one is being healed. */
    private void healNext() {
        if (!started || closed || fetching != null) {
            return;
        }
        List<Damage> all = store.damage();
        if (replaced != null && !all.contains(replaced)) {
            events.info(
                    "The damage of %s is healed, ranges of keys: %d"
                            .formatted(replaced.file(), replaced.ranges().size()));
            replaced = null;
        }
        for (Damage damage : all) {
            if (damage.ranges().isEmpty()) {
                continue; // the store repairs this itself
            }
            if (damage.equals(replaced)) {
                // Not replaced yet, perhaps for lack of space. The fetched entries remain stored.
                store.heal(damage);
                retryAfter(RETRY_AFTER);
                continue;
            }
            if (peers.get().isEmpty()) {
                if (isGivenUp(damage)) {
                    end(damage, 0);
                    return;
                }
                continue;
            }
            begin(damage);
            return;
        }
    }

    /** In a cluster of one, whether an operator has accepted the loss. */
    private boolean isGivenUp(Damage damage) {
        AcceptedLoss all =
                new AcceptedLoss(
                        damage.file(),
                        damage.ranges(),
                        damage.newest(),
                        List.of(),
                        "there is no other member to heal it from");
        if (all.equals(accepted)) {
            events.warn(all.file() + ": " + all.acceptance());
            return true;
        }
        events.error(
                "%s: damaged ranges of keys: %d, and there is no other member to heal them from:"
                                .formatted(damage.file(), damage.ranges().size())
                        + " reads of these keys fail. './quorate repair --accept-loss' gives them"
                        + " up");
        lonelyLoss = all;
        return false;
    }

    private void retryAfter(Duration delay) {
        if (!retries) {
            retries = true;
            means.runtime()
                    .scheduler()
                    .after(
                            delay,
                            () ->
                                    execute(
                                            () -> {
                                                retries = false;
                                                healNext();
                                            }));
        }
    }

    private void begin(Damage damage) {
        events.warn(
                "%s: damaged ranges of keys: %d; fetching them from %s"
                        .formatted(damage.file(), damage.ranges().size(), namesOfPeers()));
        Member self = local.member();
        CommonOwnership own = new CommonOwnership(placement.current(), self, self);
        Fetching next =
                new Fetching(
                        damage,
                        new DamageFetch(damage, peers.get(), own, store, progress, accepted));
        fetching = next;
        if (closed) {
            next.driver.cancel(); // close() may have missed it
        }
        next.driver.start();
    }

    private String namesOfPeers() {
        return peers.get().stream()
                .map(peer -> peer.member().name())
                .collect(Collectors.joining(", "));
    }

    /** The fetch of the ranges of one table. */
    private final class Fetching implements JobDriver.Owner {

        private final Damage damage;
        private final DamageFetch fetch;
        private final JobDriver<DamageFetch.Phase> driver;
        private String lastWait = "";
        private boolean hasConceded;
        private volatile @Nullable AcceptedLoss loss;

        Fetching(Damage damage, DamageFetch fetch) {
            this.damage = damage;
            this.fetch = fetch;
            this.driver =
                    new JobDriver<>(
                            means,
                            fetch,
                            new Pace(bytesPerSecond, means.runtime().ticker().nanos()),
                            this);
        }

        @Override
        public void moved() {
            loss = fetch.loss();
            String concession = fetch.concession();
            if (concession != null && !hasConceded) {
                hasConceded = true;
                events.warn(damage.file() + ": " + concession);
            }
            if (!fetch.waitsFor().equals(lastWait)) {
                lastWait = fetch.waitsFor();
                String waits = "Healing waits for " + lastWait;
                if (loss == null) {
                    events.warn(waits);
                } else {
                    events.error(waits);
                }
            }
        }

        @Override
        public void ended(@Nullable RuntimeException bug) {
            fetching = null;
            if (bug == null) {
                end(damage, fetch.written());
            } else {
                retryAfter(RETRY_AFTER_BUG);
            }
        }
    }

    /** The loss that waits for acceptance; null if none does. */
    public @Nullable AcceptedLoss loss() {
        Fetching now = fetching;
        return now == null ? lonelyLoss : now.loss;
    }

    /**
     * Accepts a loss, so that healing continues.
     *
     * @param name the name of the loss that was shown
     * @return false if another loss waits for acceptance, or none does
     */
    public boolean acceptLoss(String name) {
        AcceptedLoss now = loss();
        if (now == null || !now.name().equals(name)) {
            return false;
        }
        execute(
                () -> {
                    accepted = now;
                    Fetching underWay = fetching;
                    if (underWay == null) {
                        healNext();
                    } else {
                        underWay.driver.wake(() -> underWay.fetch.accept(now));
                    }
                });
        return true;
    }

    private void end(Damage damage, long fetched) {
        if (!peers.get().isEmpty()) {
            events.warn(
                    "%s: all that %s have of the damaged ranges is here, %d entries; the table is"
                                    .formatted(damage.file(), namesOfPeers(), fetched)
                            + " being replaced. What only this node had there is lost, such as entries"
                            + " written with from=1");
        }
        lonelyLoss = null;
        local.noteHealing(noted -> execute(() -> heal(damage, noted)));
    }

    private void heal(Damage damage, boolean isNoted) {
        if (isNoted) {
            store.heal(damage);
            replaced = damage;
        }
        retryAfter(RETRY_AFTER);
    }

    /** Cancels the fetch in progress. */
    @Override
    public void close() {
        closed = true;
        Fetching underWay = fetching;
        if (underWay != null) {
            underWay.driver.cancel();
        }
    }
}
