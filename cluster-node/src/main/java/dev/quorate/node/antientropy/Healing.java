package dev.quorate.node.antientropy;

import dev.quorate.node.background.EntryWriter;
import dev.quorate.node.background.JobDriver;
import dev.quorate.node.membership.MemberProgress;
import dev.quorate.node.message.ReplicaAnswer.Failed;
import dev.quorate.node.message.ReplicaAnswer.Failure;
import dev.quorate.node.replica.Replica;
import dev.quorate.node.runtime.NodeRuntime;
import dev.quorate.node.runtime.Pace;
import dev.quorate.router.placement.ReplicaSelector;
import dev.quorate.storage.Damage;
import dev.quorate.storage.Entry;
import dev.quorate.storage.KeyValueStore;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.WriteCompletion;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Heals what is damaged on this node's disk: fetches from every other member what it has of the
 * damaged ranges, and then has the store replace the table. Until all of them have answered, reads
 * in those ranges fail on this node, and others vote.
 *
 * <p>A member that is damaged in the same keys cannot give everything. It is done without what it
 * has lost where that is on the others ({@link QuorumDamageRule}), or where a person accepts that
 * it may be lost.
 */
public final class Healing implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Healing.class);

    /** After a table was to be replaced, until that is looked at. */
    private static final Duration LOOK_AGAIN = Duration.ofSeconds(1);

    private final List<Replica> peers;
    private final KeyValueStore store;
    private final CommonOwnership own;
    private final MemberProgress progress;
    private final JobDriver.Means means;
    private final long bytesPerSecond;

    // Of the serial tasks alone.
    private @Nullable Damage replaced;
    private boolean looksAgain;
    private boolean started;
    private @Nullable AcceptedLoss accepted;

    private volatile @Nullable Fetching fetching;

    /** In a cluster of one: what waits to be accepted. */
    private volatile @Nullable AcceptedLoss lonelyLoss;

    private volatile boolean closed;

    /**
     * @param peers every other member, asked in a lane where nobody waits for it
     * @param local this node
     * @param bytesPerSecond the most bytes of messages in a second; 0 for no limit
     */
    public Healing(
            List<Replica> peers,
            Replica local,
            KeyValueStore store,
            ReplicaSelector selector,
            MemberProgress progress,
            long bytesPerSecond,
            NodeRuntime runtime) {
        this.peers = List.copyOf(peers);
        this.store = store;
        this.own = new CommonOwnership(selector, local.member(), local.member());
        this.progress = progress;
        this.means = new JobDriver.Means(runtime, this::write, runtime.serial());
        this.bytesPerSecond = bytesPerSecond;
    }

    /** What is stored beside damage is to heal it. */
    private void write(Entry entry, long deadlineNanos, EntryWriter.Completion completion) {
        store.write(
                entry,
                new WriteCompletion() {
                    @Override
                    public void stored(Timestamp newest) {
                        completion.completed(null);
                    }

                    @Override
                    public void storedBesideDamage(StorageException cause) {
                        completion.completed(null);
                    }

                    @Override
                    public void failed(StorageException cause) {
                        completion.completed(
                                new Failed(Failure.FAILED, String.valueOf(cause.getMessage())));
                    }
                });
    }

    /** From now on peers can be asked. */
    public void start() {
        execute(
                () -> {
                    started = true;
                    look();
                });
    }

    /** Something of the store has been found damaged. Returns at once. */
    public void damaged() {
        execute(this::look);
    }

    private void execute(Runnable task) {
        means.serial().execute(task);
    }

    /** Begins with the next damage, unless one is being healed. */
    private void look() {
        if (!started || closed || fetching != null) {
            return;
        }
        for (Damage damage : store.damage()) {
            if (damage.ranges().isEmpty()) {
                continue; // the store helps itself
            }
            if (damage.equals(replaced)) {
                // Not yet: perhaps there is no space. What was fetched for it is there.
                store.heal(damage);
                lookLater();
                continue;
            }
            if (peers.isEmpty()) {
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

    /** In a cluster of one: whether somebody has accepted that there is nothing to heal it from. */
    private boolean isGivenUp(Damage damage) {
        AcceptedLoss all =
                new AcceptedLoss(
                        damage.file(),
                        damage.ranges(),
                        damage.newest(),
                        List.of(),
                        "there is no other member to heal it from");
        if (all.equals(accepted)) {
            LOG.warn("{}: {}", all.file(), all.acceptance());
            return true;
        }
        LOG.error(
                "{} is damaged in {} ranges of keys, and there is no other member to heal them"
                        + " from: reads of these keys fail",
                damage.file(),
                damage.ranges().size());
        lonelyLoss = all;
        return false;
    }

    private void lookLater() {
        if (!looksAgain) {
            looksAgain = true;
            means.runtime()
                    .scheduler()
                    .after(
                            LOOK_AGAIN,
                            () ->
                                    execute(
                                            () -> {
                                                looksAgain = false;
                                                look();
                                            }));
        }
    }

    private void begin(Damage damage) {
        LOG.warn(
                "{}: {} ranges of keys are damaged; fetching them from {}",
                damage.file(),
                damage.ranges().size(),
                namesOfPeers());
        Fetching next =
                new Fetching(
                        damage, new DamageFetch(damage, peers, own, store, progress, accepted));
        fetching = next;
        next.driver.start();
    }

    private String namesOfPeers() {
        return peers.stream().map(peer -> peer.member().name()).collect(Collectors.joining(", "));
    }

    /** The ranges of one table, which are being fetched. */
    private final class Fetching implements JobDriver.Owner {

        private final Damage damage;
        private final DamageFetch fetch;
        private final JobDriver<DamageFetch.Exchange> driver;
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
                LOG.warn("{}: {}", damage.file(), concession);
            }
            if (!fetch.waitsFor().equals(lastWait)) {
                lastWait = fetch.waitsFor();
                LOG.warn("Healing waits for {}", lastWait);
            }
        }

        @Override
        public void ended(@Nullable RuntimeException bug) {
            fetching = null;
            if (bug == null) {
                end(damage, fetch.written());
            } else {
                lookLater();
            }
        }
    }

    /** What waits to be accepted; null if nothing does. */
    public @Nullable AcceptedLoss loss() {
        Fetching now = fetching;
        return now == null ? lonelyLoss : now.loss;
    }

    /**
     * Goes on without what may be lost.
     *
     * @param name of what was shown
     * @return false if that is not what waits now
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
                        look();
                    } else {
                        underWay.driver.wake(() -> underWay.fetch.accept(now));
                    }
                });
        return true;
    }

    private void end(Damage damage, long fetched) {
        if (!peers.isEmpty()) {
            LOG.warn(
                    "{}: all that {} have of the damaged ranges is here, {} entries; the table is"
                            + " being replaced. What only this node had there is lost, such as entries"
                            + " written with from=1",
                    damage.file(),
                    namesOfPeers(),
                    fetched);
        }
        lonelyLoss = null;
        store.heal(damage);
        replaced = damage;
        lookLater();
    }

    /** Ends what is under way. */
    @Override
    public void close() {
        closed = true;
        Fetching underWay = fetching;
        if (underWay != null) {
            underWay.driver.cancel();
        }
    }
}
