package dev.quorate.router.ring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.quorate.router.Seeded;
import dev.quorate.router.Topologies;
import dev.quorate.router.token.Token;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

class RingTest {

    private static final double SLACK = 0.10;

    @Test
    void theLargestShareIsAtMostATenthAboveTheMean() {
        Seeded.forAll(
                "balance",
                150,
                random -> {
                    int size = 2 + random.nextInt(15);
                    Topology topology = Topologies.random(random, size);
                    double[] shares = new Ring(topology).shares();
                    assertThat(Arrays.stream(shares).sum()).isCloseTo(1, within(1e-9));
                    assertThat(Arrays.stream(shares).max().orElseThrow() * size)
                            .as(topology.canonicalText())
                            .isLessThanOrEqualTo(1 + SLACK);
                });
    }

    /** The arrays, which are nearly all of it. */
    private static long bytes(Object part) throws IllegalAccessException {
        if (part instanceof Object[] parts) {
            long bytes = 0;
            for (Object each : parts) {
                bytes += each == null ? 0 : bytes(each);
            }
            return bytes;
        }
        if (part.getClass().isArray()) {
            return Array.getLength(part)
                    * switch (part) {
                        case long[] _ -> 8L;
                        case int[] _ -> 4L;
                        case short[] _, char[] _ -> 2L;
                        default -> throw new IllegalArgumentException(part.toString());
                    };
        }
        long bytes = 0;
        for (Field field : part.getClass().getDeclaredFields()) {
            if (field.getType().isArray() && !Modifier.isStatic(field.getModifiers())) {
                field.setAccessible(true);
                bytes += bytes(field.get(part));
            }
        }
        return bytes;
    }

    @Test
    void theRingOfAHundredMembersTakesAtMostEightMegabytes() throws Exception {
        Topology hundred = Topologies.numbered(100);
        assertThat(hundred.replicationFactor()).isEqualTo(3);
        assertThat(bytes(new Ring(hundred)))
                .isBetween(100L * Topology.VIRTUAL_NODES * 16, 8_000_000L);
    }

    /** The distribution of real keys follows the shares of the ring. */
    @Test
    void keysAreDistributedByShare() {
        Seeded.forAll(
                "keys",
                5,
                random -> {
                    int size = 2 + random.nextInt(15);
                    Ring ring = new Ring(Topologies.random(random, size));
                    int keys = 100_000;
                    double[] seen = new double[size];
                    for (int i = 0; i < keys; i++) {
                        seen[ring.ownerIndex(Token.hash(Topologies.randomKey(random)))]++;
                    }
                    double[] shares = ring.shares();
                    for (int member = 0; member < size; member++) {
                        // Six standard deviations of a count.
                        double noise = 6 * Math.sqrt(keys * shares[member]);
                        assertThat(seen[member]).isCloseTo(keys * shares[member], within(noise));
                    }
                });
    }

    @Test
    void aLookUpMatchesALinearSearch() {
        Seeded.forAll(
                "look-up",
                30,
                random -> {
                    String text = Topologies.random(random, 1 + random.nextInt(5)).canonicalText();
                    String sparse = text.replaceFirst("=[0-9]+", "=" + (1 + random.nextInt(4)));
                    Ring ring = new Ring(Topology.parseCanonicalText(sparse));
                    for (int i = 0; i < 200; i++) {
                        long token = tokenNear(ring, random);
                        assertThat(ring.pointAt(token)).isEqualTo(walkedTo(ring, token));
                        assertThat(ring.ownerIndex(token))
                                .isEqualTo(ring.ownerIndex(ring.tokenOf(walkedTo(ring, token))));
                    }
                });
    }

    private static long tokenNear(Ring ring, RandomGenerator random) {
        long anywhere = random.nextLong();
        long point = ring.tokenOf(random.nextInt(ring.pointCount()));
        return switch (random.nextInt(6)) {
            case 0 -> point;
            case 1 -> point - 1;
            case 2 -> point + 1;
            case 3 -> 0;
            case 4 -> -1;
            default -> anywhere;
        };
    }

    private static int walkedTo(Ring ring, long token) {
        for (int point = 0; point < ring.pointCount(); point++) {
            if (Long.compareUnsigned(ring.tokenOf(point), token) >= 0) {
                return point;
            }
        }
        return 0;
    }

    @Test
    void pointsAreOrdered() {
        Ring ring = new Ring(Topologies.numbered(5));
        assertThat(ring.pointCount()).isEqualTo(5 * Topology.VIRTUAL_NODES);
        for (int point = 1; point < ring.pointCount(); point++) {
            assertThat(Long.compareUnsigned(ring.tokenOf(point - 1), ring.tokenOf(point)))
                    .isNegative();
        }
    }

    @Test
    void dependsOnNamesAndNotOnAddresses() {
        Ring here = new Ring(Topology.parse("n1=http://a:1,n2=http://b:2"));
        Ring moved = new Ring(Topology.parse("n2=http://x:7,n1=http://y:8"));
        for (int point = 0; point < here.pointCount(); point++) {
            assertThat(moved.tokenOf(point)).isEqualTo(here.tokenOf(point));
            assertThat(moved.ownerIndex(moved.tokenOf(point)))
                    .isEqualTo(here.ownerIndex(here.tokenOf(point)));
        }
    }

    @Test
    void addingAMemberMovesKeysOnlyToIt() {
        Seeded.forAll(
                "movement",
                20,
                random -> {
                    int size = 2 + random.nextInt(15);
                    Set<String> names = Topologies.randomNames(random, size);
                    String added = names.stream().skip(random.nextInt(size)).findFirst().get();
                    Set<String> without = new TreeSet<>(names);
                    without.remove(added);
                    Ring before = new Ring(Topologies.named(without));
                    Ring after = new Ring(Topologies.named(names));
                    int keys = 10_000;
                    int moved = 0;
                    for (int i = 0; i < keys; i++) {
                        long token = Token.hash(Topologies.randomKey(random));
                        String owner = ownerName(after, token);
                        if (!owner.equals(ownerName(before, token))) {
                            assertThat(owner).isEqualTo(added);
                            moved++;
                        }
                    }
                    double fair = (double) keys / size;
                    assertThat((double) moved)
                            .isLessThan(fair * (1 + SLACK) + 6 * Math.sqrt(fair))
                            .isGreaterThan(fair * (1 - SLACK) - 6 * Math.sqrt(fair));
                });
    }

    private static String ownerName(Ring ring, long token) {
        Member owner = ring.topology().members().get(ring.ownerIndex(token));
        return owner.name();
    }

    @Test
    void aRingOfOnePointOwnsEverything() {
        String text = "virtual-nodes=1;replication=1;n1=http://a:1";
        Ring ring = new Ring(Topology.parseCanonicalText(text));
        assertThat(ring.shares()).containsExactly(1);
        assertThat(ring.ownerIndex(0)).isZero();
        assertThat(ring.ownerIndex(-1)).isZero();
    }
}
