package dev.quorate.router.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class HeldRoomTest {

    private final ByteBudget budget = new ByteBudget(100);

    private HeldRoom room() {
        assertThat(budget.tryReserve(60)).isTrue();
        return new HeldRoom(budget, 60);
    }

    @Test
    void itIsReleasedOnce() {
        HeldRoom room = room();
        room.release();
        room.release();
        assertThat(budget.usedBytes()).isZero();
    }

    @Test
    void theLastOfItsHoldersReleasesIt() {
        HeldRoom room = room();
        HeldRoom shared = room.share();
        room.release();
        room.release();
        assertThat(budget.usedBytes()).isEqualTo(60);
        shared.release();
        assertThat(budget.usedBytes()).isZero();
    }
}
