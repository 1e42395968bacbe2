package dev.quorate.router.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A budget of 100 bytes; more than 25 are large. */
final class RoomQueueTest {

    private final ByteBudget whole = new ByteBudget(1_000);
    private final ByteBudget budget = whole.part(100);
    private final RoomQueue queue = new RoomQueue(budget);
    private final List<String> granted = new ArrayList<>();

    private final class Named implements RoomQueue.Waiter {
        private final String name;
        private final String address;
        private final long bytes;

        Named(String name, String address, long bytes) {
            this.name = name;
            this.address = address;
            this.bytes = bytes;
        }

        @Override
        public String address() {
            return address;
        }

        @Override
        public long bytes() {
            return bytes;
        }

        @Override
        public void granted() {
            granted.add(name);
        }
    }

    private Named join(String name, String address, long bytes) {
        Named waiter = new Named(name, address, bytes);
        queue.join(waiter);
        return waiter;
    }

    private List<String> grantedNow() {
        List<String> now = List.copyOf(granted);
        granted.clear();
        return now;
    }

    @Test
    void grantsInTheOrderOfAskingAsRoomIsReleased() {
        assertThat(queue.tryTake(100)).isTrue();
        join("a", "x", 20);
        join("b", "x", 20);
        join("c", "x", 20);
        assertThat(grantedNow()).isEmpty();
        budget.release(45);
        assertThat(grantedNow()).containsExactly("a", "b");
        assertThat(queue.waiting()).isEqualTo(1);
        budget.release(20);
        assertThat(grantedNow()).containsExactly("c");
        assertThat(queue.isWaitedFor()).isFalse();
        assertThat(budget.usedBytes()).isEqualTo(95);
    }

    @Test
    void whoComesLaterDoesNotOvertakeThoseWhoWait() {
        assertThat(queue.tryTake(90)).isTrue();
        join("a", "x", 20);
        assertThat(queue.tryTake(5)).as("there is room, but another waits for more").isFalse();
        join("b", "x", 5);
        assertThat(grantedNow()).isEmpty();
        budget.release(10);
        assertThat(grantedNow()).containsExactly("a");
    }

    @Test
    void addressesTakeTurns() {
        assertThat(queue.tryTake(100)).isTrue();
        for (int i = 1; i <= 4; i++) {
            join("x" + i, "x", 10);
        }
        join("y1", "y", 10);
        join("z1", "z", 10);
        budget.release(40);
        assertThat(grantedNow()).containsExactly("x1", "y1", "z1", "x2");
    }

    @Test
    void whoLeavesGivesUpItsPlace() {
        assertThat(queue.tryTake(100)).isTrue();
        Named a = join("a", "x", 20);
        join("b", "x", 10);
        budget.release(10);
        assertThat(grantedNow()).isEmpty();
        assertThat(queue.remove(a)).isTrue();
        assertThat(grantedNow()).as("what fits behind it").containsExactly("b");
        assertThat(queue.remove(a)).isFalse();
    }

    @Test
    void whoWasGrantedCannotLeave() {
        Named a = join("a", "x", 20);
        assertThat(grantedNow()).containsExactly("a");
        assertThat(queue.remove(a)).isFalse();
        assertThat(budget.usedBytes()).isEqualTo(20);
    }

    @Test
    void aLargeOneStopsTheOthersOnlyAfterTheyWereGrantedTwiceTheRoom() {
        assertThat(queue.tryTake(100)).isTrue();
        join("large", "x", 100);
        for (int i = 1; i <= 20; i++) {
            join("s" + i, "x", 20);
        }
        for (int i = 0; i < 20; i++) {
            budget.release(20);
        }
        assertThat(grantedNow())
                .as("200 bytes, the large one's 100, and the rest of the 400 that were released")
                .containsExactly(
                        "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "large", "s11",
                        "s12", "s13", "s14", "s15");
    }

    @Test
    void aLargeOneAloneWaitsForAllTheRoom() {
        assertThat(queue.tryTake(10)).isTrue();
        join("large", "x", 100);
        assertThat(grantedNow()).isEmpty();
        budget.release(10);
        assertThat(grantedNow()).containsExactly("large");
    }

    @Test
    void roomThatAnotherPartOfTheWholeReleasesIsGranted() {
        assertThat(whole.tryReserve(995)).isTrue();
        ByteBudget other = whole.part(5);
        assertThat(other.tryReserve(5)).isTrue();
        join("a", "x", 5);
        assertThat(whole.isWaitedFor()).isTrue();
        assertThat(other.isWaitedFor()).as("the whole is short").isTrue();
        other.release(5);
        assertThat(grantedNow()).containsExactly("a");
        assertThat(whole.isWaitedFor()).isFalse();
    }

    @Test
    void waitingIsNoRefusal() {
        assertThat(queue.tryTake(100)).isTrue();
        join("a", "x", 20);
        assertThat(queue.tryTake(20)).isFalse();
        assertThat(budget.takeRefused()).isFalse();
        assertThat(budget.tryReserve(20)).isFalse();
        assertThat(budget.takeRefused()).isTrue();
    }

    /** Half a second each; one may take a second, and is to take a third of it. */
    private void tick() {
        queue.tick(Duration.ofMillis(500), Duration.ofSeconds(1));
    }

    @Test
    void whileOthersWaitNoMoreIsGrantedThanIsReleasedInAThirdOfTheTime() {
        for (int i = 0; i < 100; i++) {
            join("a" + i, "x", 10);
        }
        assertThat(grantedNow()).hasSize(10);
        tick();
        budget.release(10);
        assertThat(grantedNow()).as("not yet: they may have waited for a moment").hasSize(1);
        tick();
        // 100 in the first half second and 10 in the second are 110 in one, and 36 in a third.
        budget.release(70);
        assertThat(grantedNow()).isEmpty();
        budget.release(10);
        assertThat(grantedNow()).hasSize(1);
        for (int i = 0; i < 20; i++) {
            tick();
        }
        budget.release(10);
        assertThat(grantedNow()).as("25 may be granted always").isEmpty();
        budget.release(10);
        assertThat(grantedNow()).hasSize(1);
    }

    @Test
    void theLimitEndsWhenNobodyWaits() {
        for (int i = 0; i < 12; i++) {
            join("a" + i, "x", 10);
        }
        for (int i = 0; i < 5; i++) {
            tick();
        }
        budget.release(90);
        assertThat(grantedNow()).hasSize(11);
        budget.release(10);
        assertThat(grantedNow()).hasSize(1);
        assertThat(queue.tryTake(80)).isFalse();
        tick();
        assertThat(queue.tryTake(80)).isTrue();
    }

    @Test
    void aChargeIsAtMostTheWholeBudget() {
        RoomQueue small = new RoomQueue(new ByteBudget(16 << 20));
        assertThat(small.charge(16 << 20)).isEqualTo(16 << 20);
        assertThat(small.charge(100_000)).isEqualTo(100_000);
    }

    @Test
    void aLargeArrayTakesWholeRegionsOfTheHeap() {
        long mib = 1 << 20;
        assertThat(HeapFootprint.regionBytes(128 * mib)).isEqualTo(mib);
        assertThat(HeapFootprint.regionBytes(8_192 * mib)).isEqualTo(4 * mib);
        assertThat(HeapFootprint.regionBytes(1L << 40)).isEqualTo(32 * mib);
        assertThat(HeapFootprint.ofArray(mib, mib)).isEqualTo(2 * mib);
        assertThat(HeapFootprint.ofArray(mib - 16, mib)).isEqualTo(mib);
        assertThat(HeapFootprint.ofArray(mib / 2, mib)).isEqualTo(mib);
        assertThat(HeapFootprint.ofArray(500_000, mib)).isEqualTo(500_000);
    }
}
