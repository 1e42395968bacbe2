package dev.quorate.router.replica;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.replica.KeyWatches.Watch;
import org.junit.jupiter.api.Test;

class KeyWatchesTest {

    private final KeyWatches watches = new KeyWatches();

    @Test
    void aRegistrationIsTakenOnce() {
        assertThat(watches.size()).isZero();
        assertThat(watches.add(5, new Watch(1, 10, 100))).isTrue();
        assertThat(watches.add(5, new Watch(2, 10, 200))).isTrue();
        assertThat(watches.add(6, new Watch(1, 10, 300))).isTrue();
        assertThat(watches.size()).isEqualTo(3);
        assertThat(watches.take(7)).isEmpty();
        assertThat(watches.take(5))
                .containsExactlyInAnyOrder(new Watch(1, 10, 100), new Watch(2, 10, 200));
        assertThat(watches.take(5)).isEmpty();
        assertThat(watches.size()).isEqualTo(1);
    }

    @Test
    void aSecondRegistrationReplacesTheFirst() {
        watches.add(5, new Watch(1, 10, 100));
        watches.add(5, new Watch(1, 10, 150));
        assertThat(watches.size()).isEqualTo(1);
        assertThat(watches.take(5)).containsExactly(new Watch(1, 10, 150));
        assertThat(watches.size()).isZero();
    }

    @Test
    void anEndedWaitIsForgotten() {
        watches.add(5, new Watch(1, 10, 100));
        watches.add(5, new Watch(2, 10, 100));
        watches.remove(5, 1, 10);
        watches.remove(5, 1, 10);
        watches.remove(6, 1, 10);
        assertThat(watches.size()).isEqualTo(1);
        assertThat(watches.take(5)).containsExactly(new Watch(2, 10, 100));
    }

    @Test
    void aRegistrationExpires() {
        watches.add(5, new Watch(1, 10, 100));
        watches.add(5, new Watch(2, 10, 200));
        watches.expire(99);
        assertThat(watches.size()).isEqualTo(2);
        watches.expire(100);
        assertThat(watches.size()).isEqualTo(1);
        watches.expire(200);
        assertThat(watches.size()).isZero();
    }

    @Test
    void oneMemberHasAPart() {
        for (int i = 0; i < KeyWatches.MAX_OF_MEMBER; i++) {
            assertThat(watches.add(i % 10, new Watch(1, i, 100))).isTrue();
        }
        assertThat(watches.add(5, new Watch(1, -1, 100))).isFalse();
        assertThat(watches.add(0, new Watch(1, 0, 150))).as("one that it has").isTrue();
        assertThat(watches.add(5, new Watch(2, -1, 100))).isTrue();
        watches.remove(0, 1, 0);
        assertThat(watches.add(5, new Watch(1, -1, 100))).isTrue();
    }

    @Test
    void allMembersTogetherAreBounded() {
        int members = KeyWatches.MAX / KeyWatches.MAX_OF_MEMBER;
        for (int i = 0; i < KeyWatches.MAX; i++) {
            assertThat(watches.add(i, new Watch(i % members, i, 100))).isTrue();
        }
        assertThat(watches.add(5, new Watch(members, 0, 100))).isFalse();
        watches.expire(100);
        assertThat(watches.add(5, new Watch(members, 0, 200))).isTrue();
        assertThat(watches.size()).isEqualTo(1);
    }
}
