package dev.quorate.node.handoff;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.node.handoff.HintStoreState.Admission;
import dev.quorate.router.background.JobTranscript;
import dev.quorate.router.replica.MemoryStore;
import dev.quorate.storage.Entry;
import dev.quorate.storage.KeyValueStore;
import dev.quorate.storage.Timestamp;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** When a store of hints is opened, used, deleted and closed. */
class HintStoreStateTest {

    private static final Entry HINT = JobTranscript.entry("a5");
    private static final long NOW = 1_000;

    private final HintStoreState state = new HintStoreState(NOW);
    private final KeyValueStore store = new MemoryStore();

    private Admission admit() {
        return state.admit(HINT, kept -> {}, NOW);
    }

    private void open() {
        assertThat(admit()).isEqualTo(Admission.Deferral.OPENS);
        assertThat(state.opened(store)).hasSize(1);
        state.ended();
    }

    @Test
    void theFirstHintOpensTheStoreAndThoseThatFollowWait() {
        assertThat(state.isShut()).isTrue();
        assertThat(admit()).isEqualTo(Admission.Deferral.OPENS);
        assertThat(admit()).isEqualTo(Admission.Deferral.WAITS);
        assertThat(state.beginOpening()).as("it is being opened").isFalse();
        assertThat(state.opened(store)).hasSize(2);
        assertThat(state.isOpen()).isTrue();
        assertThat(state.acceptedCount()).isEqualTo(2);
        assertThat(admit()).isEqualTo(new Admission.Write(store));
    }

    @Test
    void waitingHintsAreBoundedInBytesExceptASingleOne() {
        Entry large =
                Entry.value(
                        "a".getBytes(StandardCharsets.UTF_8),
                        Timestamp.of(5, 0, 0),
                        new byte[2 << 20],
                        3);
        assertThat(state.admit(large, kept -> {}, NOW)).isEqualTo(Admission.Deferral.OPENS);
        assertThat(admit()).isEqualTo(Admission.Deferral.REFUSED);
    }

    @Test
    void whereItCannotBeOpenedHintsAreRefusedForAWhile() {
        admit();
        assertThat(state.suspend(NOW + 10)).as("refused").hasSize(1);
        assertThat(admit()).isEqualTo(Admission.Deferral.REFUSED);
        assertThat(state.mayOpen(NOW + 9)).isFalse();
        assertThat(state.mayOpen(NOW + 10)).isTrue();
        assertThat(state.admit(HINT, kept -> {}, NOW + 10)).isEqualTo(Admission.Deferral.OPENS);
    }

    @Test
    void aBrokenStoreIsLeftOnce() {
        open();
        assertThat(state.abandonStore(new MemoryStore())).as("another store").isFalse();
        assertThat(state.abandonStore(store)).isTrue();
        assertThat(state.abandonStore(store)).isFalse();
        assertThat(state.use()).isNull();
        assertThat(admit()).isEqualTo(Admission.Deferral.WAITS);
        assertThat(state.suspend(NOW)).hasSize(1);
        assertThat(state.isShut()).isTrue();
    }

    @Test
    void anUnusedStoreIsDeleted() {
        open();
        long taken = state.acceptedCount();
        assertThat(state.use()).isSameAs(store);
        assertThat(state.beginDeletion(taken)).as("somebody reads it").isNull();
        state.ended();
        assertThat(state.beginDeletion(taken - 1)).as("a hint has come since").isNull();
        assertThat(state.beginDeletion(taken)).isSameAs(store);
        assertThat(state.beginDeletion(taken)).as("once").isNull();
        assertThat(state.deleted()).as("nothing waits").isFalse();
        assertThat(state.isShut()).isTrue();
    }

    @Test
    void aWriteUsesTheStoreUntilItHasEnded() {
        open();
        admit();
        assertThat(state.beginDeletion(state.acceptedCount())).isNull();
        state.ended();
        assertThat(state.beginDeletion(state.acceptedCount())).isSameAs(store);
    }

    @Test
    void aHintDuringADeletionOpensTheNextStore() {
        open();
        assertThat(state.beginDeletion(state.acceptedCount())).isSameAs(store);
        assertThat(admit()).isEqualTo(Admission.Deferral.WAITS);
        assertThat(state.deleted()).isTrue();
        assertThat(Objects.requireNonNull(state.opened(new MemoryStore()))).hasSize(1);
    }

    @Test
    void afterTheCloseNoHintIsAcceptedAndNoStoreOpened() {
        admit();
        assertThat(state.close()).as("none is open yet").isNull();
        assertThat(state.refused()).hasSize(1);
        assertThat(state.opened(store)).as("too late").isNull();
        assertThat(admit()).isEqualTo(Admission.Deferral.REFUSED);
        assertThat(state.beginOpening()).isFalse();
        assertThat(state.suspend(NOW)).isEmpty();
        assertThat(state.deleted()).isFalse();
        assertThat(admit()).isEqualTo(Admission.Deferral.REFUSED);
    }

    @Test
    void closingReturnsTheOpenStore() {
        open();
        assertThat(state.close()).isSameAs(store);
        assertThat(state.use()).isNull();
    }
}
