package dev.quorate.testkit.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.message.Digest;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ValueSizesTest {

    private static final int LIVES = 200;
    private static final int VALUES = 1_000;

    private static IntStream lengths(Workload.ValueSizes sizes) {
        return IntStream.range(0, VALUES).map(i -> sizes.of("c1-" + i));
    }

    private static long longOnes(Workload.ValueSizes sizes) {
        return lengths(sizes).filter(bytes -> bytes > Digest.SHORT_VALUE_BYTES).count();
    }

    @Test
    void livesHaveFromNoLongValueToHardlyAnyOther() {
        SplittableRandom random = new SplittableRandom(7);
        long[] ofLives =
                IntStream.range(0, LIVES)
                        .mapToLong(i -> longOnes(Workload.ValueSizes.random(random)))
                        .sorted()
                        .toArray();
        assertThat(ofLives[LIVES / 10]).isZero();
        assertThat(ofLives[LIVES / 2]).isBetween(VALUES / 10L, VALUES / 3L);
        assertThat(ofLives[9 * LIVES / 10]).isGreaterThan(VALUES / 2);
    }

    @Test
    void lengthsLieAroundThatOfDigestsAndInTheBulkLane() {
        Workload.ValueSizes sizes = new Workload.ValueSizes(7, 95, 150_000);
        assertThat(lengths(sizes).boxed())
                .contains(511, 512, 513)
                .anyMatch(bytes -> bytes > 1_000 && bytes < 2_500)
                .anyMatch(bytes -> bytes > 100_000)
                .allMatch(bytes -> bytes < 150_000);
    }

    @Test
    void aNameHasOneLengthInALife() {
        Workload.ValueSizes once = new Workload.ValueSizes(7, 50, 2_500);
        Workload.ValueSizes again = new Workload.ValueSizes(8, 50, 2_500);
        assertThat(lengths(once).toArray()).isEqualTo(lengths(once).toArray());
        assertThat(lengths(again).toArray()).isNotEqualTo(lengths(once).toArray());
    }

    @Test
    void aValueThatIsNotAsItWasWrittenHasAnotherName() {
        Workload workload = Workload.random(new SplittableRandom(7), 3, Workload.Kind.MAJORITIES);
        byte[] value = workload.value("c1-1");
        assertThat(workload.name(value)).isEqualTo("c1-1");
        value[value.length - 1] ^= 1;
        assertThat(workload.name(value)).isNotEqualTo("c1-1");
    }
}
