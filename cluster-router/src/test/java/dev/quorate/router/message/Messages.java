package dev.quorate.router.message;

import dev.quorate.router.conditional.Accepted;
import dev.quorate.router.conditional.AcceptorAnswer;
import dev.quorate.router.conditional.Current;
import dev.quorate.router.conditional.Fate;
import dev.quorate.router.conditional.KeyEntry;
import dev.quorate.router.conditional.Proposal;
import dev.quorate.router.conditional.Question;
import dev.quorate.router.decree.Decree;
import dev.quorate.router.message.MemberState.Condition;
import dev.quorate.router.message.MemberState.PeerView;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Holdings;
import dev.quorate.storage.KeyOrder;
import dev.quorate.storage.Timestamp;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Random requests, and random answers that fit them. */
final class Messages {

    private static final List<ReplicaRequest.Origin> ORIGINS =
            List.of(
                    ReplicaRequest.Origin.STAMPED,
                    ReplicaRequest.Origin.GIVEN,
                    ReplicaRequest.Origin.COPY);

    private static final List<Failure> FAILURES = List.of(Failure.values());

    private final RandomGenerator random;

    Messages(RandomGenerator random) {
        this.random = random;
    }

    List<ReplicaRequest> requests(int most) {
        List<ReplicaRequest> requests = new ArrayList<>();
        int count = random.nextInt(most + 1);
        for (int i = 0; i < count; i++) {
            requests.add(
                    switch (random.nextInt(15)) {
                        case 12 -> new ReplicaRequest.Tell("x".repeat(random.nextInt(256)));
                        case 13 ->
                                new ReplicaRequest.Watch(
                                        random.nextInt(),
                                        random.nextLong(),
                                        random.nextInt(ReplicaRequest.Watch.MAX_MILLIS + 1),
                                        bytes(1, 40),
                                        random.nextBoolean());
                        case 14 ->
                                new ReplicaRequest.Changed(
                                        random.longs(random.nextInt(5)).boxed().toList());
                        case 8 -> new ReplicaRequest.ReadDigest(bytes(1, 40));
                        case 11 ->
                                new ReplicaRequest.Propose(
                                        random.nextInt(),
                                        timestamp(),
                                        "x".repeat(random.nextInt(256)),
                                        random.nextInt(256));
                        case 10 ->
                                new ReplicaRequest.StreamRecords(
                                        random.nextInt(),
                                        random.nextBoolean(),
                                        bytes(0, 20),
                                        random.nextInt(Integer.MAX_VALUE) + 1);
                        case 9 -> {
                            byte[] key = bytes(1, 40);
                            yield new ReplicaRequest.ToAcceptor(
                                    key, random.nextInt(256), question(key));
                        }
                        case 0 -> new ReplicaRequest.Read(bytes(1, 40));
                        case 3 -> new ReplicaRequest.Inquire(bytes(1, 40));
                        case 1 ->
                                new ReplicaRequest.Write(
                                        entry(bytes(1, 40)),
                                        ORIGINS.get(random.nextInt(ORIGINS.size())));
                        case 4 -> new ReplicaRequest.Announce(random.nextInt(), state());
                        case 2 -> compare();
                        case 5 ->
                                new ReplicaRequest.StreamPage(
                                        random.nextInt(),
                                        random.nextBoolean(),
                                        random.ints(random.nextInt(5)).boxed().toList(),
                                        bytes(0, 20),
                                        random.nextInt(Integer.MAX_VALUE) + 1);
                        case 6 -> {
                            ReplicaRequest.ScanPage like = page();
                            yield new ReplicaRequest.ScanReadable(
                                    like.start(), like.end(), like.maxBytes());
                        }
                        default -> page();
                    });
        }
        return requests;
    }

    private ReplicaRequest.ScanPage page() {
        byte[] end = random.nextBoolean() ? null : bytes(0, 20);
        KeyOrder order = random.nextBoolean() ? KeyOrder.ASCENDING : KeyOrder.DESCENDING;
        return new ReplicaRequest.ScanPage(
                bytes(0, 20),
                end,
                random.nextInt(Integer.MAX_VALUE) + 1,
                order,
                random.nextBoolean());
    }

    private static ReplicaAnswer inOrder(ReplicaAnswer ascending, KeyOrder order) {
        return order == KeyOrder.DESCENDING && ascending instanceof ReplicaAnswer.Page page
                ? new ReplicaAnswer.Page(page.entries().reversed(), page.last())
                : ascending;
    }

    private ReplicaRequest.Compare compare() {
        byte[] start = bytes(0, 20);
        byte[] end = bytes(1, 20);
        return new ReplicaRequest.Compare(
                random.nextInt(),
                random.nextInt(),
                random.nextLong(Long.MAX_VALUE),
                random.nextLong(),
                start,
                Arrays.compareUnsigned(start, end) < 0 ? end : null,
                random.nextInt(1, ComparedRange.MAX_LISTED + 1));
    }

    @Nullable ReplicaAnswer answer(ReplicaRequest request) {
        if (random.nextInt(8) == 0) {
            Failure failure = FAILURES.get(random.nextInt(FAILURES.size()));
            return new ReplicaAnswer.Failed(failure, "x".repeat(random.nextInt(256)));
        }
        if (random.nextInt(8) == 0) {
            return null;
        }
        return switch (request) {
            case ReplicaRequest.Traced traced -> answer(traced.request());
            case ReplicaRequest.Read read ->
                    random.nextInt(4) == 0
                            ? ReplicaAnswer.Absent.ABSENT
                            : new ReplicaAnswer.Found(entry(read.key()));
            case ReplicaRequest.ReadDigest read ->
                    random.nextInt(4) == 0
                            ? new ReplicaAnswer.Found(entry(read.key()))
                            : new ReplicaAnswer.Digested(digest());
            case ReplicaRequest.Watch watch when watch.isPrefix() ->
                    new ReplicaAnswer.Counted(random.nextLong());
            case ReplicaRequest.Watch watch -> answer(new ReplicaRequest.ReadDigest(watch.key()));
            case ReplicaRequest.Changed changed -> ReplicaAnswer.Absent.ABSENT;
            case ReplicaRequest.Write write ->
                    new ReplicaAnswer.Stored(
                            sometimesWithStep(
                                    new Timestamp(
                                            write.entry().timestamp().hybrid()
                                                    + random.nextInt(1, 3),
                                            random.nextInt())));
            case ReplicaRequest.ScanPage page ->
                    inOrder(page(page.start(), page.end()), page.order());
            case ReplicaRequest.ScanReadable page -> page(page.start(), page.end());
            case ReplicaRequest.StreamPage give -> streamed(give.start());
            case ReplicaRequest.StreamRecords give -> streamed(give.start());
            case ReplicaRequest.Announce _, ReplicaRequest.Tell _ ->
                    new ReplicaAnswer.Announced(state());
            case ReplicaRequest.Compare compare ->
                    new ReplicaAnswer.Compared(
                            switch (random.nextInt(3)) {
                                case 0 -> ComparedRange.Same.SAME;
                                case 1 -> parts(compare);
                                default -> listing(compare);
                            });
            case ReplicaRequest.Inquire inquire -> new ReplicaAnswer.Inquired(heldKey());
            case ReplicaRequest.Propose asked ->
                    new ReplicaAnswer.Accepting(
                            asked.value().isEmpty()
                                    ? Decree.NONE.promise(asked.ballot())
                                    : Decree.NONE.accept(asked.ballot(), asked.value()));
            case ReplicaRequest.ToAcceptor(byte[] key, int from, Question question) ->
                    new ReplicaAnswer.FromAcceptor(key, acceptorsAnswer(key, question));
        };
    }

    private Question question(byte[] key) {
        Timestamp ballot = timestamp();
        return switch (random.nextInt(4)) {
            case 0 -> new Question.Prepare(ballot, versions(), timestamp());
            case 1 -> new Question.Accept(ballot, proposal(key), random.nextBoolean());
            case 2 -> new Question.Close(ballot, version(), proposal(key).withoutValue());
            default -> new Question.Deny(ballot, timestamp(), 0);
        };
    }

    private AcceptorAnswer acceptorsAnswer(byte[] key, Question question) {
        if (random.nextInt(4) == 0) {
            return new AcceptorAnswer.Outbid(new Timestamp(-1, -1));
        }
        if (question instanceof Question.Prepare prepare) {
            Map<Timestamp, Accepted> found = new HashMap<>();
            for (Timestamp asked : prepare.asked()) {
                if (random.nextBoolean()) {
                    found.put(
                            asked, new Accepted(timestamp(), proposal(key), random.nextBoolean()));
                }
            }
            return new AcceptorAnswer.Promised(
                    random.nextInt(4) == 0 ? Current.NOTHING : KeyEntry.current(entry(key)),
                    random.nextLong(1L << 48),
                    random.nextBoolean()
                            ? null
                            : new Accepted(timestamp(), proposal(key), random.nextBoolean()),
                    found,
                    random.nextBoolean() ? null : fate());
        }
        return question instanceof Question.Deny || random.nextBoolean()
                ? AcceptorAnswer.Done.DONE
                : new AcceptorAnswer.Moved(version());
    }

    private Fate fate() {
        return new Fate(timestamp(), random.nextBoolean() ? null : version(), 0);
    }

    private Proposal proposal(byte[] key) {
        if (random.nextInt(4) == 0) {
            return Proposal.NOBODY;
        }
        Current entry = KeyEntry.current(entry(key));
        Proposal proposal =
                new Proposal(
                        timestamp(),
                        random.nextBoolean(),
                        version(),
                        random.nextBoolean(),
                        random.nextBoolean(),
                        entry.version(),
                        entry,
                        0);
        return random.nextInt(4) == 0 ? proposal.withoutValue() : proposal;
    }

    private Set<Timestamp> versions() {
        Set<Timestamp> versions = new TreeSet<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            versions.add(version());
        }
        return versions;
    }

    private Timestamp version() {
        long hybrid = random.nextLong(Long.MAX_VALUE);
        long step = random.nextBoolean() ? 0 : hybrid + random.nextInt(1, 1_000);
        return new Timestamp(hybrid, random.nextInt(), step);
    }

    private Digest digest() {
        return new Digest(
                timestamp(),
                random.nextInt(256),
                random.nextLong(),
                random.nextInt(Integer.MAX_VALUE),
                random.nextInt());
    }

    private HeldKey heldKey() {
        List<Holdings.Held> entries = new ArrayList<>();
        List<Holdings.Unread> unread = new ArrayList<>();
        List<HeldKey.Hint> hints = new ArrayList<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            entries.add(Holdings.Held.of(entry(bytes(1, 2)), place()));
            unread.add(new Holdings.Unread(place(), timestamp(), "x".repeat(random.nextInt(160))));
            hints.add(new HeldKey.Hint(random.nextInt(), timestamp()));
        }
        return new HeldKey(
                state(),
                random.nextLong(Long.MAX_VALUE),
                random.nextBoolean(),
                entries,
                unread,
                hints);
    }

    private Timestamp timestamp() {
        return sometimesWithStep(new Timestamp(random.nextLong(), random.nextInt()));
    }

    private Timestamp sometimesWithStep(Timestamp root) {
        boolean hasStep = random.nextInt(3) == 0 && root.hybrid() != -1;
        return hasStep ? root.withStep(root.hybrid() + 1) : root;
    }

    private Holdings.Place place() {
        return switch (random.nextInt(3)) {
            case 0 -> Holdings.Place.Active.ACTIVE;
            case 1 -> Holdings.Place.Sealed.SEALED;
            default -> new Holdings.Place.Table(random.nextLong(Long.MAX_VALUE), random.nextInt(7));
        };
    }

    private MemberState state() {
        Condition[] conditions = Condition.values();
        List<KnownLife> known = new ArrayList<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            known.add(
                    new KnownLife(
                            random.nextInt(),
                            random.nextLong(),
                            random.nextInt(1_000),
                            random.nextLong(1_000, Long.MAX_VALUE)));
        }
        return new MemberState(
                random.nextLong(),
                random.nextInt(),
                random.nextInt(),
                random.nextInt(),
                conditions[random.nextInt(conditions.length)],
                random.nextLong(Long.MAX_VALUE),
                random.nextLong(Long.MAX_VALUE),
                random.nextLong(Long.MAX_VALUE),
                random.nextLong(Long.MAX_VALUE),
                random.nextLong(Long.MAX_VALUE),
                random.nextLong(Long.MAX_VALUE),
                random.nextLong(Long.MAX_VALUE),
                random.nextInt(1_000),
                random.nextLong(1_000, Long.MAX_VALUE),
                known,
                views(),
                new MemberState.Load(
                        "v" + random.nextInt(),
                        random.nextInt(Integer.MAX_VALUE),
                        random.nextInt(Integer.MAX_VALUE),
                        random.nextInt(Integer.MAX_VALUE)));
    }

    private List<PeerView> views() {
        List<PeerView> views = new ArrayList<>();
        PeerStanding[] standings = PeerStanding.values();
        for (int i = random.nextInt(4); i > 0; i--) {
            views.add(new PeerView(random.nextInt(), standings[random.nextInt(standings.length)]));
        }
        return views;
    }

    private ComparedRange.Parts parts(ReplicaRequest.Compare compare) {
        List<ComparedRange.Part> parts = new ArrayList<>();
        for (byte[] key : keys(compare.start(), compare.end())) {
            if (!Arrays.equals(key, compare.start())) {
                parts.add(new ComparedRange.Part(key, random.nextLong()));
            }
        }
        if (parts.isEmpty() || random.nextBoolean()) {
            parts.add(new ComparedRange.Part(null, random.nextLong()));
        }
        return new ComparedRange.Parts(parts);
    }

    private ComparedRange.Listing listing(ReplicaRequest.Compare compare) {
        return new ComparedRange.Listing(
                keys(compare.start(), compare.end()).stream()
                        .limit(compare.listUpTo())
                        .map(key -> new ComparedRange.Listed(key, timestamp(), random.nextInt()))
                        .toList());
    }

    private Set<byte[]> keys(byte[] start, byte @Nullable [] end) {
        Set<byte[]> keys = new TreeSet<>(Arrays::compareUnsigned);
        for (int i = 0; i < 5; i++) {
            byte[] key = bytes(1, 20);
            if (Arrays.compareUnsigned(key, start) >= 0
                    && (end == null || Arrays.compareUnsigned(key, end) < 0)) {
                keys.add(key);
            }
        }
        return keys;
    }

    private ReplicaAnswer.Page page(byte[] start, byte @Nullable [] end) {
        List<Entry> entries = keys(start, end).stream().map(this::entry).toList();
        return new ReplicaAnswer.Page(entries, entries.isEmpty() || random.nextBoolean());
    }

    private ReplicaAnswer.StreamedPage streamed(byte[] start) {
        byte[] next = bytes(1, 20);
        byte @Nullable [] end = Arrays.compareUnsigned(next, start) > 0 ? next : null;
        List<Entry> entries = keys(start, end).stream().map(this::entry).toList();
        return new ReplicaAnswer.StreamedPage(entries, end);
    }

    private Entry entry(byte[] key) {
        Timestamp root = new Timestamp(random.nextLong(Long.MAX_VALUE), random.nextInt());
        Timestamp timestamp = sometimesWithStep(root);
        int from = random.nextInt(256);
        return switch (random.nextInt(4)) {
            case 0 -> Entry.tombstone(key, timestamp, from);
            case 1 ->
                    Entry.expiring(
                            key,
                            timestamp,
                            bytes(0, 100),
                            from,
                            random.nextLong(Long.MAX_VALUE) + 1);
            default -> Entry.value(key, timestamp, bytes(0, 100), from);
        };
    }

    private byte[] bytes(int least, int most) {
        byte[] bytes = new byte[random.nextInt(least, most + 1)];
        random.nextBytes(bytes);
        return bytes;
    }
}
