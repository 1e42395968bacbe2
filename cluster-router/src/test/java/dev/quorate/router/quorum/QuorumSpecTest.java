package dev.quorate.router.quorum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class QuorumSpecTest {

    @Test
    void parsesEveryValidPair() {
        for (int members = 1; members <= 5; members++) {
            for (int from = 1; from <= members; from++) {
                for (int ack = 1; ack <= from; ack++) {
                    QuorumSpec spec = new QuorumSpec(ack, from);
                    assertThat(QuorumSpec.parse(ack + "/" + from, members)).isEqualTo(spec);
                    assertThat(QuorumSpec.parse("" + ack, "" + from, members)).isEqualTo(spec);
                    assertThat(spec).hasToString(ack + "/" + from);
                }
            }
        }
        assertThat(QuorumSpec.parse("0002/3", 3)).isEqualTo(new QuorumSpec(2, 3));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "/",
                "2",
                "2/",
                "/3",
                "2/3/",
                "2/3/4",
                "//",
                "2//3",
                "0/3",
                "0/0",
                "3/2",
                "1/4",
                "4/4",
                "-1/3",
                "1/-3",
                "+2/3",
                "2/+3",
                " 2/3",
                "2/3 ",
                "2 /3",
                "2/ 3",
                "2.0/3",
                "0x2/3",
                "a/3",
                "2/b",
                "٢/٣",
                "２/３",
                "2\u0000/3",
                "2147483648/3",
                "2/2147483648",
                "4294967297/3",
                "1/4294967297",
                "18446744073709551617/3",
                "1/99999999999999999999999999999999999999999999999999999",
                "2%2F3",
                "2,3",
                "¹/3",
                "\n2/3"
            })
    void rejectsEverythingElseWithOneSentence(String text) {
        assertThatExceptionOfType(QuorumSpec.InvalidException.class)
                .isThrownBy(() -> QuorumSpec.parse(text, 3))
                .satisfies(e -> assertThat(e.getMessage()).matches("'[ -~…]{10,120}\\."));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "2    | 'replicas' must be ack/from, such as 2/3, but is '2'.",
                "2/4  | 'from' must be 1 to 3 (the number of nodes), but is '4'.",
                "3/2  | 'ack' must be 1 to 2 (which is 'from'), but is '3'.",
                "0/3  | 'ack' must be 1 to 3 (which is 'from'), but is '0'.",
                "+2/3 | 'ack' must be plain digits, but is '+2'.",
                "٢/3  | 'ack' must be plain digits, but is '?'.",
                "/3   | 'ack' is missing: ack/from is needed, as in 2/3.",
            })
    void theMessageNamesTheError(String text, String sentence) {
        assertThatExceptionOfType(QuorumSpec.InvalidException.class)
                .isThrownBy(() -> QuorumSpec.parse(text, 3))
                .withMessage(sentence);
    }

    @Test
    void aLargeClusterHasAtMost32OwnersOfAKey() {
        assertThat(QuorumSpec.parse("17/32", 64)).isEqualTo(QuorumSpec.majority(32));
        assertThatExceptionOfType(QuorumSpec.InvalidException.class)
                .isThrownBy(() -> QuorumSpec.parse("17/33", 64))
                .withMessage("'from' must be 1 to 32, but is '33'.");
    }

    @Test
    void theConstructorRejectsInvalidNumbersToo() {
        for (int[] pair : new int[][] {{0, 3}, {4, 3}, {-1, 1}, {1, 0}, {1, 33}, {0, 0}}) {
            assertThatExceptionOfType(QuorumSpec.InvalidException.class)
                    .isThrownBy(() -> new QuorumSpec(pair[0], pair[1]));
        }
        assertThatExceptionOfType(QuorumSpec.InvalidException.class)
                .isThrownBy(() -> QuorumSpec.majority(0));
    }

    @Test
    void aMajorityIsMoreThanHalf() {
        for (int from = 1; from <= QuorumSpec.MAX_FROM; from++) {
            QuorumSpec majority = QuorumSpec.majority(from);
            assertThat(majority.from()).isEqualTo(from);
            assertThat(2 * majority.ack()).isGreaterThan(from);
            assertThat(2 * (majority.ack() - 1)).isLessThanOrEqualTo(from);
            assertThat(intersect(majority, majority)).isTrue();
        }
    }

    @Test
    void theDefaultFollowsTheReplicationFactor() {
        QuorumSpec majority = QuorumSpec.majority(3).asDefault();
        assertThat(majority).isEqualTo(new QuorumSpec(2, 3, true)).hasToString("2/3");
        assertThat(majority.withFactor(5)).isEqualTo(new QuorumSpec(3, 5, true));
        assertThat(majority.withFactor(1)).isEqualTo(new QuorumSpec(1, 1, true));
        assertThat(new QuorumSpec(3, 3, true).withFactor(5)).hasToString("5/5");
        assertThat(new QuorumSpec(1, 3, true).withFactor(5)).hasToString("1/5");
        assertThat(new QuorumSpec(4, 5, true).withFactor(3)).hasToString("2/3");
        assertThat(QuorumSpec.majority(1).withFactor(3)).hasToString("2/3");
    }

    @Test
    void quorumsThatIntersectDoSoAfterAChangeOfTheFactor() {
        for (int before = 1; before <= 7; before++) {
            for (int after = 1; after <= 7; after++) {
                for (int one = 1; one <= before; one++) {
                    for (int other = before - one + 1; other <= before; other++) {
                        QuorumSpec next = new QuorumSpec(one, before).withFactor(after);
                        QuorumSpec nextOther = new QuorumSpec(other, before).withFactor(after);
                        assertThat(intersect(next, nextOther))
                                .as("%s and %s of %s", next, nextOther, before)
                                .isTrue();
                    }
                }
            }
        }
    }

    private static boolean intersect(QuorumSpec one, QuorumSpec other) {
        return one.from() == other.from() && one.ack() + other.ack() > one.from();
    }
}
