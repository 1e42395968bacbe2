package dev.quorate.node.membership;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.message.KnownLife;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What follows from how far the members are known to have come. */
class GenerationsTest {

    private static final int SELF = 1;
    private static final int OTHER = 2;
    private static final long LIFE = 77;

    private final Generations generations = new Generations(SELF, LIFE, 5, List.of());

    private static KnownLife own(long life, long begunAt, long generation) {
        return new KnownLife(SELF, life, begunAt, generation);
    }

    private static KnownLife other(long life, long begunAt, long generation) {
        return new KnownLife(OTHER, life, begunAt, generation);
    }

    @Test
    void anEarlierLifeWithTheGenerationOnDiskIsThisMembersPast() {
        generations.merge(own(70, 3, 5));
        assertThat(generations.isOldCopy()).isFalse();
        assertThat(generations.next()).isEqualTo(6);
    }

    @Test
    void oneThatCameFurtherMakesTheDirectoryAnOldCopy() {
        generations.merge(own(70, 3, 6));
        assertThat(generations.isOldCopy()).isTrue();
        assertThat(generations.next()).isEqualTo(7);
        generations.begin(7);
        assertThat(generations.isOldCopy()).as("with everything again").isFalse();
    }

    /** It has gone on, and somebody who was away comes back. */
    @Test
    void thatIsFoundHoweverFarItHasComeSince() {
        generations.reached(generations.next());
        generations.reached(40);
        generations.merge(own(70, 3, 6));
        assertThat(generations.isOldCopy()).isTrue();
        assertThat(generations.next()).isEqualTo(41);
    }

    @Test
    void itsOwnLifeIsNoOther() {
        generations.reached(6);
        generations.merge(own(LIFE, 5, 6));
        assertThat(generations.isOldCopy()).isFalse();
        assertThat(generations.isRecordedIn(List.of(other(LIFE, 5, 6)))).isFalse();
        assertThat(generations.isRecordedIn(List.of(own(70, 5, 6)))).isFalse();
        assertThat(generations.isRecordedIn(List.of(own(LIFE, 5, 5)))).isFalse();
        assertThat(generations.isRecordedIn(List.of(own(LIFE, 5, 6)))).isTrue();
    }

    @Test
    void anotherMembersLivesFollowEachOther() {
        KnownLife first = other(1, 0, 4);
        assertThat(first.or(other(1, 0, 3))).isEqualTo(first);
        assertThat(first.or(other(1, 0, 6))).isEqualTo(other(1, 0, 6));
        assertThat(first.or(other(2, 4, 5))).as("the next").isEqualTo(other(2, 4, 5));
        assertThat(other(2, 4, 5).or(first)).as("the one before").isEqualTo(other(2, 4, 5));
        assertThat(first.or(other(2, 3, 9))).as("an old copy").isEqualTo(first);
        assertThat(other(2, 3, 9).or(first)).as("an old copy").isEqualTo(other(2, 3, 9));
    }

    @Test
    void aNewGenerationIsRecordedOnce() {
        assertThat(generations.isUnrecorded()).isFalse();
        generations.merge(other(1, 0, 4));
        assertThat(generations.isUnrecorded()).isTrue();
        assertThat(generations.recorded()).isEmpty();
        generations.recorded(generations.known());
        assertThat(generations.isUnrecorded()).isFalse();
        generations.merge(other(1, 0, 4));
        assertThat(generations.isUnrecorded()).isFalse();
        assertThat(generations.recorded()).containsExactly(other(1, 0, 4));
    }

    @Test
    void recordedGenerationsDetectAnOldCopy() {
        assertThat(new Generations(SELF, LIFE, 5, List.of(own(70, 3, 6))).isOldCopy()).isTrue();
    }
}
