package dev.quorate.storage.cursor;

import static dev.quorate.storage.sstable.Tables.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quorate.storage.Entry;
import dev.quorate.storage.EntryCursor;
import dev.quorate.storage.StorageException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** One source after another, no two open at once. */
class ConcatenatingCursorTest {

    private final List<ListCursor> opened = new ArrayList<>();

    private Supplier<EntryCursor> source(Entry... entries) {
        return () -> {
            assertThat(opened).allMatch(cursor -> cursor.closed == 1);
            opened.add(new ListCursor(List.of(entries)));
            return opened.getLast();
        };
    }

    @Test
    void sourcesAreReadInOrder() {
        ConcatenatingCursor all =
                new ConcatenatingCursor(
                        List.of(
                                source(value("a", 1, ""), value("b", 1, "")),
                                source(),
                                source(value("c", 1, ""))));
        assertThat(opened).isEmpty();
        assertThatThrownBy(all::key).isInstanceOf(IllegalStateException.class);
        assertThat(all.next()).isTrue();
        assertThat(all.entry()).isEqualTo(value("a", 1, ""));
        assertThat(all.next()).isTrue();
        assertThat(opened).hasSize(1);
        assertThat(all.next()).isTrue();
        assertThat(opened).hasSize(3);
        assertThat(all.entry()).isEqualTo(value("c", 1, ""));
        assertThat(all.timestamp()).isEqualTo(value("c", 1, "").timestamp());
        assertThat(all.next()).isFalse();
        assertThat(all.next()).isFalse();
        assertThatThrownBy(all::entry).isInstanceOf(IllegalStateException.class);
        all.close();
        assertThat(opened).allMatch(cursor -> cursor.closed == 1);
    }

    @Test
    void afterCloseNoFurtherSourceIsOpened() {
        ConcatenatingCursor all =
                new ConcatenatingCursor(
                        List.of(source(value("a", 1, "")), source(value("b", 1, ""))));
        assertThat(all.next()).isTrue();
        all.close();
        assertThat(all.next()).isFalse();
        assertThat(opened).hasSize(1);
    }

    @Test
    void aFailedSourceDoesNotPassForAnEndedOne() {
        ListCursor bad = new ListCursor(List.of(value("a", 1, ""))).failingAt(0);
        ConcatenatingCursor all =
                new ConcatenatingCursor(List.of(() -> bad, source(value("b", 1, ""))));
        assertThatThrownBy(all::next).isInstanceOf(StorageException.Io.class);
        assertThatThrownBy(all::next).isInstanceOf(StorageException.Io.class);
        all.close();
        assertThat(bad.closed).isEqualTo(1);
        assertThat(opened).isEmpty();
    }
}
