package dev.quorate.node.antientropy;

import dev.quorate.node.clock.Scheduler;
import dev.quorate.node.clock.Ticker;
import dev.quorate.node.message.MemberState;
import dev.quorate.node.replica.Replica;
import dev.quorate.router.placement.ReplicaSelector;
import dev.quorate.router.topology.Member;
import dev.quorate.storage.Damage;
import dev.quorate.storage.KeyRange;
import dev.quorate.storage.KeyValueStore;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
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
    private final int copies;
    private final PeerRepair.Surroundings surroundings;
    private final long bytesPerSecond;
    private final Scheduler scheduler;
    private final Executor serial;

    // Of the serial tasks alone.
    private final Deque<KeyRange> toFetch = new ArrayDeque<>();
    private @Nullable Damage current;
    private @Nullable Damage replaced;
    private long fetched;
    private boolean looksAgain;
    private String lastWait = "";
    private boolean started;
    private @Nullable AcceptedLoss accepted;

    /** Whether it was said of the current damage that it is done without another member. */
    private boolean goesWithout;

    private volatile @Nullable RangeFetch fetch;
    private volatile @Nullable AcceptedLoss loss;
    private volatile boolean closed;

    /**
     * @param peers every other member, asked in a lane where nobody waits for it
     * @param local this node
     * @param bytesPerSecond the most bytes of messages in a second; 0 for no limit
     * @param blocking where reads may wait for the disk; may reject
     */
    public Healing(
            List<Replica> peers,
            Replica local,
            KeyValueStore store,
            ReplicaSelector selector,
            MemberProgress progress,
            long bytesPerSecond,
            Ticker ticker,
            Scheduler scheduler,
            Executor blocking) {
        this.peers = List.copyOf(peers);
        this.store = store;
        this.own = new CommonOwnership(selector, local.member(), local.member());
        this.copies = selector.ring().topology().replicationFactor();
        this.scheduler = scheduler;
        this.serial = new Serial(blocking, scheduler, Integer.MAX_VALUE);
        this.surroundings =
                new PeerRepair.Surroundings(store, local, progress, ticker, scheduler, serial);
        this.bytesPerSecond = bytesPerSecond;
    }

    /** From now on peers can be asked. */
    public void start() {
        serial.execute(
                () -> {
                    started = true;
                    look();
                });
    }

    /** Something of the store has been found damaged. Returns at once. */
    public void damaged() {
        serial.execute(this::look);
    }

    /** Begins with the next damage, unless one is being healed. */
    private void look() {
        if (!started || closed || current != null) {
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
                    current = damage;
                    end(damage);
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
            tellLoss(all);
            return true;
        }
        LOG.error(
                "{} is damaged in {} ranges of keys, and there is no other member to heal them"
                        + " from: reads of these keys fail",
                damage.file(),
                damage.ranges().size());
        loss = all;
        return false;
    }

    private void lookLater() {
        if (!looksAgain) {
            looksAgain = true;
            scheduler.after(
                    LOOK_AGAIN,
                    () ->
                            serial.execute(
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
        current = damage;
        fetched = 0;
        lastWait = "";
        goesWithout = false;
        toFetch.clear();
        toFetch.addAll(damage.ranges());
        next();
    }

    private String namesOfPeers() {
        return peers.stream().map(peer -> peer.member().name()).collect(Collectors.joining(", "));
    }

    private static String names(Collection<Member> members) {
        return members.stream().map(Member::name).collect(Collectors.joining(", "));
    }

    private void next() {
        RangeFetch before = fetch;
        if (before != null) {
            fetched += before.written();
            fetch = null;
        }
        Damage damage = current;
        if (closed || damage == null) {
            return;
        }
        KeyRange range = toFetch.poll();
        if (range == null) {
            end(damage);
            return;
        }
        RangeFetch next =
                new RangeFetch(
                        surroundings, bytesPerSecond, peers, own, range, new Fetching(range));
        fetch = next;
        next.start();
    }

    private void tellWait(String why) {
        if (!why.equals(lastWait)) {
            lastWait = why;
            LOG.warn("Healing waits for {}", why);
        }
    }

    /** One range of the current damage. */
    private final class Fetching implements RangeFetch.Owner {

        private final KeyRange range;

        Fetching(KeyRange range) {
            this.range = range;
        }

        @Override
        public void waits(String why) {
            loss = null;
            tellWait(why);
        }

        @Override
        public boolean goesOnWithout(List<Member> damaged, Map<Member, MemberState> sound) {
            Damage damage = Objects.requireNonNull(current, "something is being healed");
            List<String> damagedNames = damaged.stream().map(Member::name).toList();
            String names = names(damaged);
            String objection = QuorumDamageRule.objection(damage.newest(), damaged, sound, copies);
            AcceptedLoss given = accepted;
            if (objection == null) {
                if (!goesWithout) {
                    LOG.warn(
                            "{}: {} damaged in the same keys. Healing goes on with what can be read"
                                    + " there: {} had everything that this table can have had. What was"
                                    + " written for the damaged members alone is lost",
                            damage.file(),
                            names + (damaged.size() == 1 ? " is" : " are"),
                            names(sound.keySet()));
                }
            } else if (given != null && given.covers(damage, range, damagedNames)) {
                if (!goesWithout) {
                    tellLoss(given);
                }
            } else {
                List<KeyRange> open = new ArrayList<>();
                open.add(range);
                open.addAll(toFetch);
                loss =
                        new AcceptedLoss(
                                damage.file(), open, damage.newest(), damagedNames, objection);
                tellWait(
                        names
                                + ", damaged in the same keys: "
                                + objection
                                + ". './quorate repair --accept-loss' shows what may be lost, and goes"
                                + " on without it if told to");
                return false;
            }
            goesWithout = true;
            loss = null;
            return true;
        }

        @Override
        public void goesOn() {
            loss = null;
        }

        @Override
        public void done() {
            next();
        }
    }

    private static void tellLoss(AcceptedLoss given) {
        LOG.warn(
                "{}: it was accepted that entries of {} ranges of keys may be lost, none newer"
                        + " than {}",
                given.file(),
                given.ranges().size(),
                given.newest());
    }

    /** What waits to be accepted; null if nothing does. */
    public @Nullable AcceptedLoss loss() {
        return loss;
    }

    /**
     * Goes on without what may be lost.
     *
     * @param name of what was shown
     * @return false if that is not what waits now
     */
    public boolean acceptLoss(String name) {
        AcceptedLoss now = loss;
        if (now == null || !now.name().equals(name)) {
            return false;
        }
        serial.execute(
                () -> {
                    accepted = now;
                    RangeFetch underWay = fetch;
                    if (underWay != null) {
                        underWay.hurry();
                    }
                    look();
                });
        return true;
    }

    private void end(Damage damage) {
        if (!peers.isEmpty()) {
            LOG.warn(
                    "{}: all that {} have of the damaged ranges is here, {} entries; the table is"
                            + " being replaced. What only this node had there is lost, such as entries"
                            + " written with from=1",
                    damage.file(),
                    namesOfPeers(),
                    fetched);
        }
        loss = null;
        store.heal(damage);
        replaced = damage;
        current = null;
        lookLater();
    }

    /** Ends what is under way. */
    @Override
    public void close() {
        closed = true;
        RangeFetch underWay = fetch;
        if (underWay != null) {
            underWay.cancel();
        }
    }
}
