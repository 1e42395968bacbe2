package dev.quorate.testkit.conditional;

import dev.quorate.router.conditional.Accepted;
import dev.quorate.router.conditional.Current;
import dev.quorate.router.conditional.Lead;
import dev.quorate.storage.Timestamp;
import dev.quorate.testkit.history.History;
import dev.quorate.testkit.history.Recorder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * One key, its replicas, and coordinators that write and read it, some of them on conditions.
 * Messages come in any order, late, twice or never; replicas are down, crash, lose their disks;
 * coordinators are given up and their writes sent again through others, while they go on. In a part
 * of all lives the {@linkplain OwnerChanges owners change}. Replicas agree on what is settled,
 * raise their GC watermarks one after the other, and drop tombstones, expired values and old
 * records. Nothing but the seed decides what happens.
 */
final class ProtocolSimulation {

    private static final int CLIENTS = 5;

    final Random random;
    final Mistake mistake;

    /** Of how many members the first owners are; what the history says of each operation. */
    final int from;

    final int majority;

    /** Whether the owners change. */
    final boolean isChanging;

    /** While owners change, one message in this many waits for the disk of the replica. */
    final int diskWait;

    final boolean hasDeletes;

    /** Of ten operations, those that are plain; more where a mistake shows after these alone. */
    final int plainTenths;

    final boolean hasExpiry;

    /** Whether tombstones are many, and soon dropped. */
    final boolean isCollected;

    /** Whether a write is answered only once a majority has its value as the entry. */
    final boolean storesBeforeItAnswers;

    final List<SimulatedReplica> replicas = new ArrayList<>();
    final Network network;
    final OwnerChanges owners;
    final Recorder recorder = new Recorder();

    /** Versions that clients have seen, with their values; and which they have seen of late. */
    final Map<String, Timestamp> seen = new HashMap<>();

    final List<String> recent = new ArrayList<>();

    /** A lead ends with its epoch. */
    record KeptLead(Lead lead, int epoch) {}

    /** By the number of the node that leads, or takes itself to lead. */
    final Map<Integer, KeptLead> leads = new HashMap<>();

    private final List<SimulatedClient> clients = new ArrayList<>();

    /** Of a hundred events; more where a mistake shows after crashes alone. */
    private final int crashPercent;

    /** Of each version what it was first stored with: there must be one value. */
    private final Map<Timestamp, Current> contents = new HashMap<>();

    /** Of each value the version that it was first stored under: there must be one version. */
    private final Map<String, Timestamp> versions = new HashMap<>();

    /** The latest version that a client has seen. */
    Timestamp latestSeen = Timestamp.ZERO;

    long now;
    private int values;
    private @Nullable String broken;

    /** Every replica has everything from before. */
    private long settledMillis;

    ProtocolSimulation(long seed, Mistake mistake) {
        this(
                seed,
                mistake,
                mistake == Mistake.NONE ? Math.floorMod(seed, 2) == 0 : mistake.isOfChanges());
    }

    ProtocolSimulation(long seed, Mistake mistake, boolean isChanging) {
        // Consecutive seeds begin alike.
        this.random = new Random(new Random(seed).nextLong());
        this.mistake = mistake;
        this.crashPercent = mistake == Mistake.PROMISES_IN_MEMORY ? 12 : 1;
        this.plainTenths =
                mistake == Mistake.TAKES_LATE_WRITES || mistake == Mistake.LEADS_FOR_EVER ? 6 : 3;
        this.isCollected = random.nextBoolean() || mistake.isOfCollection();
        this.hasDeletes = isCollected || random.nextInt(3) == 0;
        this.hasExpiry = random.nextInt(4) == 0;
        this.storesBeforeItAnswers =
                (random.nextBoolean() || mistake == Mistake.ACCEPTS_OLD_VALUES)
                        && mistake != Mistake.SHOWS_UNDECIDED_VALUES
                        && mistake != Mistake.HIDES_DECIDED_VALUES;
        this.isChanging = isChanging;
        this.from = isChanging ? 1 + random.nextInt(5) : random.nextInt(4) == 0 ? 5 : 3;
        boolean isSlow = !isChanging || mistake == Mistake.COPIES_WHAT_IS_BEHIND;
        this.diskWait = isSlow ? 1 : 1 + random.nextInt(6);
        this.majority = from / 2 + 1;
        this.network = new Network(this, replica -> check(replica.entry()));
        List<Integer> first = IntStream.range(0, from).boxed().toList();
        int learnPercent = isChanging ? 5 + random.nextInt(40) : 0;
        this.owners = new OwnerChanges(random, mistake, replicas, network, first, learnPercent);
        for (int i = 0; i < (isChanging ? OwnerChanges.members(from) : from); i++) {
            replicas.add(new SimulatedReplica(i, mistake, random, 1 + random.nextInt(50)));
        }
        for (int i = 0; i < CLIENTS; i++) {
            clients.add(new SimulatedClient(this, i));
        }
    }

    History run(int steps) {
        for (int i = 0; i < steps; i++) {
            now++;
            step();
        }
        for (SimulatedReplica replica : replicas) {
            replica.isDown = false;
        }
        owners.everybodyLearns();
        for (int i = 0; i < 3; i++) {
            SimulatedClient reader = new SimulatedClient(this, CLIENTS + i);
            reader.read();
            for (int j = 0; j < 4_000 && reader.isBusy(); j++) {
                now++;
                network.deliver(0);
            }
        }
        return recorder.history();
    }

    /** What cannot be, seen by what the simulation knows beside the history; null for nothing. */
    @Nullable String broken() {
        return broken;
    }

    private void step() {
        if (isChanging) {
            owners.step();
        }
        int die = random.nextInt(100);
        SimulatedReplica replica = replicas.get(random.nextInt(replicas.size()));
        if (die < 12) {
            SimulatedClient client = clients.get(random.nextInt(CLIENTS));
            if (!client.isBusy()) {
                client.begin();
            } else if (random.nextInt(4) == 0) {
                client.losesPatience();
            }
        } else if (die < 14) {
            copy(replica, replicas.get(random.nextInt(replicas.size())));
        } else if (die < 14 + crashPercent) {
            replica.crash();
            leads.remove(replica.number);
            replica.isDown = random.nextInt(3 * crashPercent) == 0;
        } else if (die < 30) {
            network.deliver(8);
        } else if (die < 32) {
            replica.isDown = false;
            replica.passes(random.nextInt(20));
        } else if (die == 32 && random.nextInt(8) == 0) {
            rebuild(replica);
        } else if (die < 42 && isCollected) {
            collect(die, replica);
        } else {
            network.deliver(8);
        }
    }

    /** A repair, or a comparison: it belongs to one epoch. */
    private void copy(SimulatedReplica source, SimulatedReplica target) {
        boolean areOwners =
                owners.of(source).index(source) >= 0 && owners.of(target).index(target) >= 0;
        if (!isChanging || (areOwners && source.epoch == target.epoch)) {
            source.copyTo(target);
        }
    }

    private void rebuild(SimulatedReplica replica) {
        if (owners.canRebuild(replica)) {
            endExchanges();
            replica.rebuild(owners.owners().stream().filter(other -> other != replica).toList());
        }
    }

    private void collect(int die, SimulatedReplica replica) {
        if (die == 33) {
            settle();
        } else if (die < 36) {
            long from = replica.watermarkMillis();
            long to =
                    random.nextInt(3) == 0
                            ? random.nextLong(from, settledMillis + 1)
                            : settledMillis;
            replica.raiseWatermark(to);
        } else if (die < 40) {
            replica.dropEntry();
        } else {
            replica.dropRecords();
        }
    }

    /** The longest time that an exchange takes passes. Clients that are not served send again. */
    private void endExchanges() {
        network.endExchanges();
        clients.forEach(SimulatedClient::losesItsCoordinator);
        if (mistake != Mistake.LEADS_FOR_EVER) {
            leads.clear();
        }
    }

    /**
     * All replicas agree that each has everything from before a moment. What was under way then is
     * over before any of them raises its watermark.
     */
    private void settle() {
        List<SimulatedReplica> all = owners.settledOwners();
        long latest = all.stream().mapToLong(SimulatedReplica::wallMillis).max().orElse(0);
        for (SimulatedReplica replica : all) {
            if (replica.isDown) {
                return;
            }
            Accepted pending = replica.pending();
            if (pending != null && !storesBeforeItAnswers) {
                // It may have been answered, and be no entry.
                Timestamp result = Objects.requireNonNull(pending.proposal().result());
                latest = Math.min(latest, result.wallMillis());
                latest = Math.min(latest, pending.ballot().wallMillis());
            }
        }
        if (latest <= settledMillis) {
            return;
        }
        endExchanges();
        settledMillis = random.nextBoolean() ? latest : random.nextLong(settledMillis, latest) + 1;
        Current newest = Current.NOTHING;
        for (SimulatedReplica replica : all) {
            Current own = replica.newestBefore(settledMillis);
            newest = own.version().isAfter(newest.version()) ? own : newest;
        }
        for (SimulatedReplica replica : all) {
            if (newest.version().wallMillis() >= replica.watermarkMillis()) {
                replica.store(newest);
            }
            replica.settled(settledMillis);
        }
    }

    String nextValue() {
        values++;
        return "v" + values;
    }

    // ---- What cannot be.

    void breaks(String what) {
        broken = broken == null ? what : broken;
    }

    private void check(Current entry) {
        Current first = contents.putIfAbsent(entry.version(), entry);
        if (first != null && !Arrays.equals(first.value(), entry.value())) {
            breaks("two values of version " + entry.version());
        }
        byte[] value = entry.value();
        if (value != null) {
            String text = new String(value, StandardCharsets.UTF_8);
            Timestamp version = versions.putIfAbsent(text, entry.version());
            if (version != null && !version.equals(entry.version())) {
                breaks(text + " was stored twice, as " + version + " and " + entry.version());
            }
        }
    }
}
