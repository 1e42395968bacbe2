package dev.quorate.router.replica;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class PrefixCountsTest {

    private final Map<Long, String> names = new HashMap<>();
    private final List<String> told = new ArrayList<>();
    private final PrefixCounts counts =
            new PrefixCounts(new SplittableRandom(7), token -> told.add(names.get(token)));

    private byte[] bytes(String text) {
        byte[] bytes = text.getBytes(ISO_8859_1);
        names.put(PrefixCounts.token(bytes), text);
        return bytes;
    }

    private long position(String prefix) {
        return counts.position(bytes(prefix), 0);
    }

    @Test
    void aChangeIsCountedBelowEachPrefixOfItsKey() {
        Map<String, Long> before = new HashMap<>();
        for (String prefix : List.of("", "a", "a/b", "a/b/c", "a/a", "a/b\u00ff", "b", "\u00ff")) {
            before.put(prefix, position(prefix));
        }
        assertThat(told).isEmpty();
        counts.stored(bytes("a/b/c"));
        assertThat(told).containsExactlyInAnyOrder("", "a", "a/b", "a/b/c");
        before.forEach(
                (prefix, position) ->
                        assertThat(position(prefix) - position)
                                .as(prefix)
                                .isEqualTo(told.contains(prefix) ? 1 : 0));
    }

    @Test
    void manyPrefixesAreFoundAsByComparingEach() {
        long seed = Long.getLong("quorate.seed", new Random().nextLong());
        SplittableRandom random = new SplittableRandom(seed);
        List<String> prefixes = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            prefixes.add(key(random));
            position(prefixes.get(i));
        }
        for (int i = 0; i < 2_000; i++) {
            String key = key(random);
            told.clear();
            counts.stored(bytes(key));
            assertThat(told)
                    .as("seed %d, key %s", seed, key)
                    .containsExactlyInAnyOrderElementsOf(
                            prefixes.stream().distinct().filter(key::startsWith).toList());
        }
    }

    private static String key(SplittableRandom random) {
        StringBuilder key = new StringBuilder();
        for (int left = random.nextInt(8); left > 0; left--) {
            key.append("\u0000a\u00ff".charAt(random.nextInt(3)));
        }
        return key.toString();
    }

    @Test
    void theOneAskedLeastRecentlyLeaves() {
        List<Long> before = new ArrayList<>();
        for (int i = 0; i < PrefixCounts.MAX; i++) {
            before.add(counts.position(bytes("p" + i), i));
        }
        assertThat(counts.position(bytes("p0"), PrefixCounts.MAX)).isEqualTo(before.getFirst());
        counts.position(bytes("another"), PrefixCounts.MAX);
        assertThat(counts.size()).isEqualTo(PrefixCounts.MAX);
        assertThat(told).as("its waits end").containsExactly("p1");
        assertThat(counts.position(bytes("p0"), PrefixCounts.MAX)).isEqualTo(before.getFirst());
        assertThat(counts.position(bytes("p1"), PrefixCounts.MAX)).isNotEqualTo(before.get(1));
    }

    @Test
    void onesThatNobodyAsksForAreForgotten() {
        long position = counts.position(bytes("a"), 5);
        counts.position(bytes("b"), 6);
        counts.expire(5 + PrefixCounts.KEPT_NANOS);
        assertThat(told).containsExactly("a");
        assertThat(counts.size()).isEqualTo(1);
        assertThat(position("a")).isNotEqualTo(position);
        counts.expire(Long.MAX_VALUE);
        assertThat(counts.size()).isZero();
    }

    @Test
    void aKeyThatBranchesOffAtEachByteIsBounded() {
        List<String> prefixes = new ArrayList<>();
        for (int i = 0; i < PrefixCounts.MAX - 1; i++) {
            prefixes.add("b".repeat(i) + "a");
        }
        prefixes.forEach(this::position);
        position("b");
        counts.stored(bytes("b".repeat(1_024)));
        assertThat(told).isEqualTo(Collections.singletonList("b"));
    }
}
