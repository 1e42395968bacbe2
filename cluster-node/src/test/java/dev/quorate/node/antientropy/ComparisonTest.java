package dev.quorate.node.antientropy;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.node.antientropy.Comparison.Difference;
import dev.quorate.router.Seed;
import dev.quorate.router.Topologies;
import dev.quorate.router.message.ComparedRange;
import dev.quorate.router.replica.MemoryStore;
import dev.quorate.router.ring.Ring;
import dev.quorate.router.runtime.ManualTime;
import dev.quorate.router.topology.Topology;
import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.Entry;
import dev.quorate.storage.KeyRange;
import dev.quorate.storage.Lookup;
import dev.quorate.storage.Timestamp;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** Of any two stores exactly the keys that differ are found, whatever they are and however many. */
class ComparisonTest {

    private long unreadable;
    private final RandomGenerator random = Seed.random("ComparisonTest");
    private final Topology topology = Topology.parse("n1=http://a:1,n2=http://b:1");
    private final Ring ring = new Ring(topology);
    private final CommonOwnership shared =
            new CommonOwnership(
                    Topologies.placement(ring),
                    topology.members().getFirst(),
                    topology.members().getLast());

    @Test
    void exactlyTheKeysThatDifferAreFound() {
        for (int round = 0; round < 300; round++) {
            MemoryStore mine = new MemoryStore();
            MemoryStore theirs = new MemoryStore();
            Set<String> differ = diverge(mine, theirs);
            assertThat(compare(mine, theirs)).isEqualTo(differ);
        }
    }

    /** On one of the two it may be gone already, and is not to be given back. */
    @Test
    void settledTombstonesAreLeftOut() {
        MemoryStore mine = new MemoryStore();
        MemoryStore theirs = new MemoryStore();
        for (int i = 0; i < 2_000; i++) {
            byte[] key = ("k" + i).getBytes(US_ASCII);
            Entry settled = Entry.tombstone(key, Timestamp.of(i, 0, 1), 2);
            (i % 2 == 0 ? mine : theirs).put(settled);
        }
        byte[] last = "unsettled".getBytes(US_ASCII);
        mine.put(Entry.tombstone(last, Timestamp.of(2_000, 0, 1), 2));
        byte[] old = "value".getBytes(US_ASCII);
        theirs.put(Entry.value(old, Timestamp.of(3, 0, 1), old, 2));
        assertThat(compare(mine, theirs, 2_000)).containsExactly("unsettled", "value");
        assertThat(compare(mine, theirs, 0)).hasSize(2_002);
    }

    /** A client sent one version with two values, or with a value and a delete. */
    @Test
    void copiesThatDifferUnderOneVersionAreFound() {
        MemoryStore mine = new MemoryStore();
        MemoryStore theirs = new MemoryStore();
        byte[] other = "other".getBytes(US_ASCII);
        for (int i = 0; i < 1_000; i++) {
            byte[] key = "k%04d".formatted(i).getBytes(US_ASCII);
            Timestamp version = Timestamp.of(i, 0, 1);
            mine.put(Entry.value(key, version, key, 2));
            theirs.put(
                    switch (i) {
                        case 17 -> Entry.value(key, version, other, 2);
                        case 18 -> Entry.tombstone(key, version, 2);
                        default -> Entry.value(key, version, key, 2);
                    });
        }
        // What has expired is a value here and a tombstone there.
        byte[] expired = "k0500x".getBytes(US_ASCII);
        Timestamp version = Timestamp.of(500, 0, 1);
        mine.put(Entry.expiring(expired, version, expired, 2, 700));
        theirs.put(Entry.tombstone(expired, version, 2));
        assertThat(compare(mine, theirs)).containsExactly("k0017", "k0018");
    }

    /** A block of one of the two cannot be read: that is told, and all else is compared. */
    @Test
    void unreadableRangesAreCountedAndTheRestIsCompared() {
        for (boolean isMine : new boolean[] {true, false}) {
            MemoryStore mine = new MemoryStore();
            MemoryStore theirs = new MemoryStore();
            for (int i = 0; i < 1_000; i++) {
                byte[] key = "k%04d".formatted(i).getBytes(US_ASCII);
                Entry entry = Entry.value(key, Timestamp.of(i, 0, 1), key, 2);
                boolean differs = i % 100 == 50;
                (isMine ? theirs : mine).put(entry);
                if (!differs) {
                    (isMine ? mine : theirs).put(entry);
                }
            }
            (isMine ? mine : theirs)
                    .damage(new KeyRange("k0500".getBytes(US_ASCII), "k0510".getBytes(US_ASCII)));
            Set<String> found = compare(mine, theirs);
            assertThat(unreadable).isPositive();
            assertThat(found)
                    .contains(
                            "k0050", "k0150", "k0250", "k0350", "k0450", "k0550", "k0650", "k0750",
                            "k0850", "k0950")
                    .hasSizeLessThan(50);
            if (isMine) {
                assertThat(found).as("to be looked up one by one").contains("k0500", "k0509");
            }
        }
    }

    @Test
    void withoutDamageNothingIsUnreadable() {
        MemoryStore mine = new MemoryStore();
        MemoryStore theirs = new MemoryStore();
        Set<String> differ = diverge(mine, theirs);
        assertThat(compare(mine, theirs)).isEqualTo(differ);
        assertThat(unreadable).isZero();
    }

    private Set<String> diverge(MemoryStore mine, MemoryStore theirs) {
        Set<String> differ = new TreeSet<>();
        int keys = random.nextInt(random.nextBoolean() ? 20 : 3_000);
        double rate = random.nextDouble() * random.nextDouble();
        for (int i = 0; i < keys; i++) {
            String key = key();
            if (differ.contains(key) || has(mine, key)) {
                continue;
            }
            Entry old = Entry.value(key.getBytes(US_ASCII), Timestamp.of(i, 0, 1), new byte[3], 2);
            boolean differs = random.nextDouble() < rate;
            if (!differs || random.nextBoolean()) {
                mine.put(old);
                theirs.put(old);
            }
            if (differs) {
                differ.add(key);
                Entry newer = Entry.tombstone(key.getBytes(US_ASCII), Timestamp.of(i, 1, 2), 2);
                (random.nextBoolean() ? mine : theirs).put(newer);
            }
        }
        return differ;
    }

    private static boolean has(MemoryStore store, String key) {
        return store.lookup(key.getBytes(US_ASCII)) instanceof Lookup.Found;
    }

    /** Many share a beginning, and some are the beginning of others. */
    private String key() {
        return "k".repeat(random.nextInt(1, 4)) + random.nextInt(1 << random.nextInt(20));
    }

    private Set<String> compare(MemoryStore mine, MemoryStore theirs) {
        return compare(mine, theirs, 0);
    }

    private Set<String> compare(MemoryStore mine, MemoryStore theirs, long gcWatermarkMillis) {
        int salt = random.nextInt();
        ManualTime time = new ManualTime();
        RangeReader own = new RangeReader(mine, shared, time, salt);
        own.ignoreTombstonesBefore(gcWatermarkMillis);
        Comparison comparison =
                new Comparison(own, new SharedWalk(), topology.members().getFirst().number(), salt);
        RangeReader other = new RangeReader(theirs, shared, time, salt);
        List<Comparison.Question> asked = new ArrayList<>();
        while (!comparison.isOver()) {
            Comparison.Question question = random.nextInt(3) > 0 ? comparison.next() : null;
            if (question != null) {
                asked.add(question);
            }
            if (!asked.isEmpty() && (question == null || random.nextBoolean())) {
                answer(comparison, other, asked.remove(random.nextInt(asked.size())));
            }
        }
        unreadable = comparison.unreadable();
        Set<String> found = new TreeSet<>();
        Deque<Difference> differences = comparison.differences();
        differences.forEach(difference -> found.add(new String(difference.key(), US_ASCII)));
        assertThat(found).hasSameSizeAs(differences);
        return found;
    }

    /** In any order; and some are lost, and asked again. */
    private void answer(Comparison comparison, RangeReader other, Comparison.Question question) {
        if (random.nextInt(10) == 0) {
            comparison.unanswered(question);
        } else {
            other.ignoreTombstonesBefore(question.compare().gcWatermarkMillis());
            ComparedRange answer;
            try {
                answer = other.compare(question.compare());
            } catch (CorruptionException e) {
                comparison.failedToRead(question);
                return;
            }
            comparison.answered(question, answer);
        }
    }
}
