package dev.quorate.storage.cursor;

import static dev.quorate.storage.sstable.Tables.drain;
import static dev.quorate.storage.sstable.Tables.tombstone;
import static dev.quorate.storage.sstable.Tables.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quorate.storage.Entry;
import dev.quorate.storage.EntryCursor;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.sstable.Tables;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.NavigableMap;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** A merge returns every key once, with its newest entry. */
class MergingCursorTest {

    private static ListCursor source(Entry... entries) {
        return new ListCursor(List.of(entries));
    }

    @Test
    void theNewestEntryWinsRegardlessOfItsSource() {
        List<EntryCursor> sources =
                List.of(
                        source(value("a", 1, "old"), value("b", 9, "new"), value("d", 1, "d")),
                        source(value("a", 2, "new"), value("b", 8, "old"), tombstone("c", 3)),
                        source(value("c", 2, "deleted")),
                        source());
        assertThat(drain(new MergingCursor(sources)))
                .containsExactly(
                        value("a", 2, "new"),
                        value("b", 9, "new"),
                        tombstone("c", 3),
                        value("d", 1, "d"));
    }

    @Test
    void tiesFollowTheOrderOfEntries() {
        List<EntryCursor> sources =
                List.of(
                        source(value("a", 1, "x"), value("b", 1, "x")),
                        source(value("a", 1, "y"), tombstone("b", 1)),
                        source(value("a", 1, "x")));
        assertThat(drain(new MergingCursor(sources)))
                .containsExactly(value("a", 1, "y"), tombstone("b", 1));
    }

    @Test
    void noSourcesYieldNoEntries() {
        assertThat(drain(new MergingCursor(List.of()))).isEmpty();
        MergingCursor empty = new MergingCursor(List.of(source()));
        assertThat(empty.next()).isFalse();
        assertThat(empty.next()).isFalse();
        assertThatThrownBy(empty::entry).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void randomSourcesMatchTheModelInAnyOrder() {
        Random random = new Random(Tables.seed("theMergeOfRandomSourcesIsTheirModel"));
        for (int round = 0; round < 400; round++) {
            NavigableMap<byte[], Entry> model = Tables.newModel();
            List<List<Entry>> contents = new ArrayList<>();
            for (int i = random.nextInt(9); i >= 0; i--) {
                NavigableMap<byte[], Entry> own = Tables.newModel();
                for (int n = random.nextInt(40); n > 0; n--) {
                    // Few keys and timestamps, so that all kinds of ties occur.
                    Entry entry = clashing(random);
                    Tables.put(own, entry);
                    Tables.put(model, entry);
                }
                contents.add(List.copyOf(own.values()));
            }
            Collections.shuffle(contents, random);
            List<ListCursor> sources = contents.stream().map(ListCursor::new).toList();
            assertThat(drain(new MergingCursor(List.copyOf(sources))))
                    .containsExactlyElementsOf(model.values());
            assertThat(sources).allMatch(source -> source.closed == 1);
        }
    }

    private static Entry clashing(Random random) {
        String key = "k" + random.nextInt(20);
        int clock = random.nextInt(4);
        return random.nextInt(4) == 0
                ? tombstone(key, clock)
                : value(key, clock, "v" + random.nextInt(3));
    }

    @Test
    void supersededValuesAreNotRead() {
        ListCursor winner = source(value("a", 2, "new"));
        ListCursor loser = source(value("a", 1, "old"));
        drain(new MergingCursor(List.of(loser, winner)));
        assertThat(winner.valuesRead).isEqualTo(1);
        assertThat(loser.valuesRead).isZero();
    }

    @Test
    void aFailedSourcePermanentlyFailsTheMerge() {
        Entry[] four = {value("a", 1, ""), value("b", 1, ""), value("c", 1, ""), value("d", 1, "")};
        for (int failAt = 0; failAt < 4; failAt++) {
            ListCursor good = source(four);
            ListCursor bad = source(four).failingAt(failAt);
            MergingCursor merged = new MergingCursor(List.of(good, bad));
            for (int i = 0; i < failAt; i++) {
                assertThat(merged.next()).isTrue();
            }
            assertThatThrownBy(merged::next).isInstanceOf(StorageException.Io.class);
            assertThatThrownBy(merged::entry).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(merged::next).isInstanceOf(StorageException.Io.class);
            merged.close();
            assertThat(good.closed).isEqualTo(1);
            assertThat(bad.closed).isEqualTo(1);
        }
    }

    @Test
    void closingClosesAllSourcesEvenIfSomeFail() {
        ListCursor first = source().failingOnClose();
        ListCursor second = source();
        ListCursor third = source().failingOnClose();
        MergingCursor merged = new MergingCursor(List.of(first, second, third));
        assertThatThrownBy(merged::close)
                .isInstanceOf(StorageException.Io.class)
                .satisfies(failure -> assertThat(failure.getSuppressed()).hasSize(1));
        assertThat(second.closed).isEqualTo(1);
        assertThat(third.closed).isEqualTo(1);
        assertThat(merged.next()).isFalse();
    }
}
