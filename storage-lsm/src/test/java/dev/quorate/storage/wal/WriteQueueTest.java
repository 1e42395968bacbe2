package dev.quorate.storage.wal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.storage.Entry;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.WriteCompletion;
import java.util.ArrayDeque;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Admission by bytes and by phase, and the order in which writes are taken. */
class WriteQueueTest {

    private static final Entry ENTRY = Entry.tombstone(new byte[] {1}, new Timestamp(1, 1), 1);
    private static final int BYTES = WriteAheadLog.recordBytes(ENTRY);

    private static final WriteCompletion NOBODY =
            new WriteCompletion() {
                @Override
                public void stored(Timestamp newest) {}

                @Override
                public void failed(StorageException cause) {}
            };

    private final StorageException.Full full = new StorageException.Full("full", null);
    private final StorageException closed = new StorageException.Closed("closed");
    private final StorageException broken = new StorageException.Io("broken", null);
    private final WriteQueue queue = new WriteQueue(3L * BYTES, () -> 0);

    private @Nullable StorageException offer() {
        return queue.offer(List.of(ENTRY), NOBODY);
    }

    private WriteQueue.Taken take() {
        return queue.take(new ArrayDeque<>());
    }

    @Test
    void theBoundAppliesUntilWritesAreReleased() {
        for (int i = 0; i < 3; i++) {
            assertThat(offer()).isNull();
        }
        assertThat(offer()).isInstanceOf(StorageException.Overloaded.class);
        assertThat(queue.bytes()).isEqualTo(3L * BYTES);
        assertThat(queue.waiting()).isEqualTo(3);
        List<PendingWrite> taken = List.copyOf(take().writes());
        assertThat(taken).hasSize(3);
        assertThat(queue.waiting()).isZero();
        assertThat(queue.isEmpty()).isTrue();
        assertThat(offer()).as("taken writes still count").isNotNull();
        queue.release(taken.subList(0, 1));
        assertThat(offer()).isNull();
        assertThat(offer()).isNotNull();
    }

    @Test
    void aWriteLargerThanTheBoundIsAdmittedAlone() {
        WriteQueue small = new WriteQueue(BYTES - 1, () -> 0);
        assertThat(small.offer(List.of(ENTRY), NOBODY)).isNull();
        assertThat(small.offer(List.of(ENTRY), NOBODY)).isNotNull();
    }

    @Test
    void aFullDiskRejectsWritesUntilSpaceIsFree() {
        queue.reject(full);
        assertThat(offer()).isSameAs(full);
        assertThat(queue.bytes()).isZero();
        assertThat(take().admission().servesQueued()).isFalse();
        queue.accept();
        assertThat(offer()).isNull();
        assertThat(take().admission().servesQueued()).isTrue();
    }

    /** Free space does not reopen a closing queue. */
    @Test
    void aClosingQueueServesAdmittedWritesUnlessTheDiskIsFull() {
        assertThat(queue.close(closed)).isNotDone();
        assertThat(offer()).isSameAs(closed);
        assertThat(take().admission().servesQueued()).isTrue();
        queue.reject(full);
        queue.accept();
        assertThat(offer()).isNotNull();
        assertThat(take().admission().servesQueued()).isFalse();
    }

    @Test
    void aFullQueueRejectsWritesWhileItCloses() {
        queue.reject(full);
        assertThat(queue.close(closed)).isNotDone();
        queue.accept();
        assertThat(offer()).isSameAs(closed);
        assertThat(take().admission().servesQueued()).isFalse();
        assertThat(take().closing()).isNotNull();
    }

    @Test
    void aFailureIsPermanent() {
        assertThat(queue.fail(broken)).isTrue();
        assertThat(queue.fail(full)).as("reported once").isFalse();
        queue.reject(full);
        queue.accept();
        assertThat(queue.close(closed)).isNotDone();
        assertThat(offer()).isSameAs(broken);
        assertThat(take().admission().servesQueued()).isFalse();
    }

    /** A mark must not overtake earlier writes. */
    @Test
    void remainingWritesPrecedeLaterWritesAndMarks() {
        assertThat(offer()).isNull();
        ArrayDeque<PendingWrite> left = take().writes();
        assertThat(offer()).isNull();
        assertThat(queue.requestMark()).isNotDone();
        assertThat(queue.requestRoll()).isNotDone();
        WriteQueue.Taken taken = queue.take(left);
        assertThat(taken.writes()).isSameAs(left).hasSize(1);
        assertThat(taken.marks()).isEmpty();
        assertThat(taken.rolls()).hasSize(1);
        left.clear();
        WriteQueue.Taken next = queue.take(left);
        assertThat(next.writes()).hasSize(1);
        assertThat(next.marks()).hasSize(1);
        assertThat(next.rolls()).isEmpty();
        assertThat(take().marks()).isEmpty();
    }

    @Test
    void nothingIsGatheredWhileOtherRequestsWait() {
        assertThat(offer()).isNull();
        assertThat(queue.gatherable()).isEqualTo(1);
        assertThat(queue.requestMark()).isNotDone();
        assertThat(queue.gatherable()).isEqualTo(WriteQueue.NOT_NOW);
        take();
        assertThat(queue.requestRoll()).isNotDone();
        assertThat(queue.gatherable()).isEqualTo(WriteQueue.NOT_NOW);
        take();
        queue.reject(full);
        assertThat(queue.gatherable()).isEqualTo(WriteQueue.NOT_NOW);
        queue.accept();
        assertThat(queue.gatherable()).isZero();
        assertThat(queue.close(closed)).isNotDone();
        assertThat(queue.gatherable()).isEqualTo(WriteQueue.NOT_NOW);
    }
}
