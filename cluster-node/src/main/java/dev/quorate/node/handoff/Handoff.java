package dev.quorate.node.handoff;

import dev.quorate.node.handoff.Survey.Dropped;
import dev.quorate.router.background.EntryWriter;
import dev.quorate.router.background.JobDriver;
import dev.quorate.router.coordinator.operation.HintSink;
import dev.quorate.router.replica.Replica;
import dev.quorate.router.ring.LivePlacement;
import dev.quorate.router.ring.Placement;
import dev.quorate.router.runtime.ByteBudget;
import dev.quorate.router.runtime.NodeRuntime;
import dev.quorate.router.runtime.Pace;
import dev.quorate.router.runtime.Scheduler;
import dev.quorate.router.runtime.Ticker;
import dev.quorate.router.topology.Member;
import dev.quorate.storage.Entry;
import dev.quorate.storage.KeyValueStore;
import dev.quorate.storage.StorageOptions;
import dev.quorate.storage.StoreListener;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.format.MalformedException;
import dev.quorate.storage.io.StorageFiles;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hinted handoff: stores a hint of each acknowledged write for the replicas that missed it, and
 * replays it, unchanged, when they are back. See docs/decisions/0010.
 *
 * <p>It has no thread of its own: it checks for work once a second, reads the disk on the given
 * executor, and does the rest on the threads of answers. Thread-safe.
 */
public final class Handoff implements HintSink, AutoCloseable {

    /**
     * A replica, and whether to send anything to it now.
     *
     * @param isUp must be quick, and true only if the replica has answered
     */
    public record Destination(Replica replica, BooleanSupplier isUp) {}

    private static final Logger LOG = LoggerFactory.getLogger(Handoff.class);

    private static final long NANOS_PER_SECOND = 1_000_000_000L;

    /** Values above this take memory from the budget for large values. */
    private static final int LARGE_BYTES = 64 << 10;

    /** Time without new hints after which an empty store is deleted. */
    private static final long QUIET_NANOS = 30 * NANOS_PER_SECOND;

    private static final long RECOUNT_NANOS = 120 * NANOS_PER_SECOND;
    private static final int SURVEY_PAGE_BYTES = 256 << 10;

    private final HandoffOptions options;
    private final HintStore store;
    private final HintReader reader;
    private final Executor serial;
    private final LivePlacement live;
    private final NodeRuntime runtime;
    private final Ticker ticker;
    private final Scheduler scheduler;
    private final RandomGenerator random;
    private final ByteBudget largeValues;
    private final Map<Dropped, LongAdder> dropped = new EnumMap<>(Dropped.class);
    private final AtomicBoolean surveying = new AtomicBoolean();
    private final AtomicBoolean leftIsCounted = new AtomicBoolean();

    private volatile Map<String, Target> targets = Map.of();
    private volatile List<RunningReplay> replays = List.of();
    private volatile Scheduler.Cancellable checks = () -> {};
    private volatile long lastHintNanos;

    private volatile long surveyAgainNanos;
    private volatile long surveyBeganNanos;

    /** Whether the store was open at the last check. Checks run one at a time. */
    private volatile boolean wasOpen;

    /**
     * Creates handoff that stores and sends nothing before {@link #start}.
     *
     * @param directory the directory of the hints
     * @param opener opens a store in that directory, with options made by {@link #storeOptions}
     * @param largeValues the budget for large values in memory
     */
    public Handoff(
            HandoffOptions options,
            StorageFiles files,
            Path directory,
            Function<StoreListener, KeyValueStore> opener,
            LivePlacement live,
            NodeRuntime runtime,
            ByteBudget largeValues) {
        for (Dropped reason : Dropped.values()) {
            dropped.put(reason, new LongAdder());
        }
        this.options = options;
        this.live = live;
        this.runtime = runtime;
        this.ticker = runtime.ticker();
        this.scheduler = runtime.scheduler();
        this.random = runtime.random();
        this.largeValues = largeValues;
        this.store =
                new HintStore(
                        new HintDirectory(files, directory),
                        opener,
                        this::opened,
                        runtime.blocking(),
                        ticker);
        this.reader = new HintReader(store);
        this.serial = runtime.serial();
        this.lastHintNanos = ticker.nanos();
        this.surveyBeganNanos = ticker.nanos();
        this.surveyAgainNanos = ticker.nanos();
    }

    /** The options of the store of hints of a node whose own store has the options {@code node}. */
    public static StorageOptions storeOptions(StorageOptions node) {
        return HintStore.options(node);
    }

    /**
     * Begins to store hints, and to replay those that exist.
     *
     * @param destinations every member of the topology in use
     */
    public void start(Collection<Destination> destinations) {
        if (!options.isEnabled()) {
            store.forgetWhatIsThere();
            return;
        }
        moveTo(destinations);
        var _ = store.openWhatIsThere();
        checks = scheduler.every(Duration.ofSeconds(1), this::check);
    }

    /**
     * Stores hints for these members from now on. Those for others are dropped by the next survey.
     */
    public synchronized void moveTo(Collection<Destination> destinations) {
        if (!options.isEnabled()) {
            return;
        }
        Map<String, Target> next = new TreeMap<>();
        for (Destination each : destinations) {
            String name = each.replica().name();
            Target before = targets.get(name);
            next.put(name, before == null ? Target.of(each.replica(), each.isUp()) : before);
        }
        List<RunningReplay> running = new ArrayList<>(replays);
        running.removeIf(each -> !next.containsValue(each.target));
        for (Target target : next.values()) {
            if (running.stream().noneMatch(each -> each.target.equals(target))) {
                running.add(new RunningReplay(target));
            }
        }
        replays.stream()
                .filter(each -> !running.contains(each))
                .forEach(each -> each.driver.cancel());
        targets = next;
        replays = List.copyOf(running);
    }

    /**
     * Hints from before a restart count at once, by their size on disk, until they have been
     * surveyed: otherwise each restart could store up to the limit again. Only hints that wait for
     * the store to open, which are bounded, are always stored.
     */
    private void opened(KeyValueStore opened) {
        if (leftIsCounted.compareAndSet(false, true)) {
            for (Target target : targets.values()) {
                byte[] start = HintCodec.start(target.name());
                byte[] end = HintCodec.end(target.name());
                if (HintReader.mayHoldAny(opened, start, end)) {
                    target.found(opened.bytesBetween(start, end), options.bytesPerTarget());
                }
            }
        }
    }

    // ---- Storing.

    @Override
    public void missed(Member member, Entry write) {
        Target target = targets.get(member.name());
        if (target == null) {
            return;
        }
        long size = HintCodec.sizeOf(target.name(), write);
        if (isTooOld(write)) {
            count(Dropped.AGE);
        } else if (size > options.hintBytes() || !HintCodec.fits(target.name(), write)) {
            count(Dropped.LIMIT);
        } else if (!target.add(size, options.bytesPerTarget())) {
            count(Dropped.LIMIT);
        } else {
            storeHint(target, write, size);
        }
    }

    @Override
    public boolean isKept(Member member, Entry write) {
        Target target = targets.get(member.name());
        if (target == null || isTooOld(write) || !HintCodec.fits(target.name(), write)) {
            return false;
        }
        long size = HintCodec.sizeOf(target.name(), write);
        return size <= options.hintBytes()
                && target.pendingBytes().get() + size <= options.bytesPerTarget();
    }

    private void storeHint(Target target, Entry write, long size) {
        long reserved = write.valueBytes() > LARGE_BYTES ? size : 0;
        if (!largeValues.tryReserve(reserved)) {
            target.remove(size);
            count(Dropped.ROOM);
            return;
        }
        lastHintNanos = ticker.nanos();
        store.write(
                HintCodec.encode(target.name(), write, expiresAtMillis(write)),
                kept -> {
                    largeValues.release(reserved);
                    if (!kept) {
                        target.remove(size);
                        count(Dropped.ROOM);
                    }
                });
    }

    /**
     * Computed from the root of its version: a tombstone between root and step may be older than
     * the step, and may have been dropped. Repairs copy writes that hints must not.
     */
    private long expiresAtMillis(Entry write) {
        return write.timestamp().root().wallMillis() + options.window().toMillis();
    }

    private boolean isTooOld(Entry write) {
        return expiresAtMillis(write) <= ticker.wallMillis();
    }

    private void count(Dropped reason) {
        Objects.requireNonNull(dropped.get(reason)).increment();
    }

    /**
     * The members with a hint for a key on this node, and its timestamp. Waits for the disk.
     *
     * @return null if the store cannot be read now
     */
    public @Nullable Map<String, Timestamp> hintedMembers(byte[] key) {
        List<byte[]> keys = new ArrayList<>();
        for (String name : targets.keySet()) {
            if (name.length() + 1 + key.length <= Entry.MAX_KEY_BYTES) {
                keys.add(HintCodec.key(name, key));
            }
        }
        List<Entry> hints = reader.lookup(keys);
        if (hints == null) {
            return null;
        }
        Map<String, Timestamp> kept = new TreeMap<>();
        for (Entry hint : hints) {
            kept.put(HintCodec.target(hint.key()), hint.timestamp());
        }
        return kept;
    }

    // ---- Surveys.

    private void check() {
        long now = ticker.nanos();
        boolean any = targets.values().stream().anyMatch(Target::hasHints);
        boolean open = store.isOpen();
        if (!open && any && !store.openWhatIsThere()) {
            targets.values().forEach(target -> target.pendingBytes().set(0));
        }
        if (open) {
            for (RunningReplay each : replays) {
                each.check(now, !wasOpen);
            }
            considerSurvey(now, any);
        }
        wasOpen = open;
    }

    /**
     * Surveys all hints after the store was opened, since some may be from before a restart; when
     * none seem to remain, to delete the store; and periodically otherwise, since hints expire.
     */
    private void considerSurvey(long now, boolean any) {
        boolean quiet = now - lastHintNanos >= QUIET_NANOS && now - surveyBeganNanos >= QUIET_NANOS;
        boolean due = any ? now - surveyAgainNanos >= 0 : quiet;
        if ((!wasOpen || due) && surveying.compareAndSet(false, true)) {
            surveyBeganNanos = now;
            readForSurvey(
                    new byte[0], new Survey(new SurveyedHints(), targets, store.acceptedCount()));
        }
    }

    private void readForSurvey(byte[] from, Survey survey) {
        serial.execute(
                () -> {
                    HintReader.Page page = reader.read(from, null, SURVEY_PAGE_BYTES);
                    if (page == null) {
                        survey.unavailable();
                    } else {
                        survey.page(page);
                    }
                });
    }

    private final class SurveyedHints implements Survey.Hints {

        @Override
        public void readNext(byte[] start, long bytes, Survey survey) {
            long rate = options.bytesPerSecond();
            long nanos = rate == 0 ? 0 : (long) ((double) bytes / rate * NANOS_PER_SECOND);
            scheduler.after(Duration.ofNanos(nanos), () -> readForSurvey(start, survey));
        }

        @Override
        public void drop(Entry hint, Dropped reason) {
            Handoff.this.drop(hint, reason);
        }

        @Override
        public void surveyed(boolean empty, long takenBefore) {
            long now = ticker.nanos();
            surveyAgainNanos = now + RECOUNT_NANOS + 4 * (now - surveyBeganNanos);
            if (empty) {
                store.deleteIfUnchanged(takenBefore);
            } else {
                long tooOldMillis = Math.max(0, ticker.wallMillis() - options.window().toMillis());
                store.forgetMarks(Timestamp.of(tooOldMillis, 0, 0));
            }
            surveying.set(false);
        }
    }

    // ---- Replaying.

    /** The replay of one target's hints. */
    private final class RunningReplay implements Replay.Hints, JobDriver.Owner {

        private final Target target;
        private final Replay replay;
        private final JobDriver<Entry> driver;

        /** Whether a check is queued: while the disk hangs, checks would pile up. */
        private final AtomicBoolean checkWaits = new AtomicBoolean();

        private volatile boolean mayHaveOldHints;

        /** See {@link Replay#isIdle}. */
        private volatile boolean isIdle;

        /** Number of sent hints that were reported. */
        private long reported;

        RunningReplay(Target target) {
            this.target = target;
            this.replay = new Replay(target, this);
            this.driver =
                    new JobDriver<>(
                            new JobDriver.Means(runtime, EntryWriter.NONE, serial),
                            replay,
                            new Pace(options.bytesPerSecond(), ticker.nanos()),
                            this);
        }

        void check(long nowNanos, boolean justOpened) {
            if (justOpened) {
                mayHaveOldHints = true;
            }
            reportSent();
            boolean isUp = target.isUp().getAsBoolean();
            boolean isNeeded = !isUp || !isIdle || mayHaveOldHints || target.hasHints();
            if (!isNeeded || !checkWaits.compareAndSet(false, true)) {
                return;
            }
            double spread = random.nextDouble();
            driver.post(
                    () -> {
                        checkWaits.set(false);
                        if (mayHaveOldHints) {
                            mayHaveOldHints = false;
                            replay.mayHaveOldHints();
                        }
                        replay.check(nowNanos, isUp, spread);
                        isIdle = replay.isIdle();
                    });
        }

        private void reportSent() {
            long sent = target.stored().sum();
            if (sent > reported && !target.hasHints()) {
                long more = sent - reported;
                runtime.events().info(target.name() + " has the writes that it missed: " + more);
                reported = sent;
            }
        }

        @Override
        public HintReader.@Nullable Page read(byte[] start, byte[] end, int maxBytes) {
            return reader.read(start, end, maxBytes);
        }

        @Override
        public @Nullable Entry writeToSend(Entry hint) {
            return Handoff.this.writeToSend(target, hint);
        }

        @Override
        public void delivered(Entry hint) {
            remove(target, hint);
        }

        @Override
        public void ended(@Nullable RuntimeException bug) {
            // Only after a bug, which is logged: repair handles its hints.
        }
    }

    private @Nullable Entry writeToSend(Target target, Entry hint) {
        Entry write;
        try {
            write = HintCodec.decode(hint);
        } catch (MalformedException e) {
            LOG.warn("A hint for {} cannot be read: {}", target.name(), e.getMessage());
            dropFor(target, hint, Dropped.DAMAGE);
            return null;
        }
        if (isTooOld(write)) {
            dropFor(target, hint, Dropped.AGE);
            return null;
        }
        if (!isReplica(target, write)) {
            dropFor(target, hint, Dropped.TOPOLOGY);
            return null;
        }
        return write;
    }

    /** Whether the target still owns the key: a copy elsewhere would never be repaired. */
    private boolean isReplica(Target target, Entry write) {
        Placement placement = live.current();
        return write.from() <= placement.topology().size()
                && placement.ownersOf(write.key(), write.from()).stream()
                        .anyMatch(member -> member.name().equals(target.name()));
    }

    private void remove(Target target, Entry hint) {
        long size = HintCodec.sizeOf(hint);
        target.remove(size);
        store.write(
                HintCodec.removal(hint),
                kept -> {
                    if (!kept) {
                        target.pendingBytes().addAndGet(size); // it will be resent
                    }
                });
    }

    private void dropFor(Target target, Entry hint, Dropped reason) {
        target.remove(HintCodec.sizeOf(hint));
        drop(hint, reason);
    }

    /** Drops a hint without sending it. */
    private void drop(Entry hint, Dropped reason) {
        count(reason);
        store.write(HintCodec.removal(hint), kept -> {});
    }

    // ---- Statistics and end.

    /** The hints stored now, and counters. */
    public HandoffStatistics statistics() {
        List<HandoffStatistics.OfTarget> all = new ArrayList<>();
        for (Target target : targets.values()) {
            all.add(
                    new HandoffStatistics.OfTarget(
                            target.name(),
                            target.pendingBytes().get(),
                            target.stored().sum(),
                            target.failed().sum()));
        }
        Map<String, Long> reasons = new TreeMap<>();
        dropped.forEach(
                (reason, count) ->
                        reasons.put(reason.name().toLowerCase(Locale.ROOT), count.sum()));
        return new HandoffStatistics(all, reasons);
    }

    /** Makes accepted hints durable; stores and sends no more. */
    @Override
    public void close() {
        checks.cancel();
        replays.forEach(each -> each.driver.cancel());
        store.close();
    }
}
