package dev.quorate.router.ring;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.hash.Hasher;
import com.google.common.hash.Hashing;
import dev.quorate.router.Topologies;
import dev.quorate.router.token.Token;
import dev.quorate.router.topology.Member;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * The ring of n1, n2 and n3 as of the first release. A change would make every running cluster
 * search for its keys on the wrong nodes: never regenerate the file.
 */
class GoldenRingTest {

    private static final int LISTED = 12;

    @Test
    void neverChanges() throws IOException {
        Ring ring = new Ring(Topologies.numbered(3));
        List<String> lines = new ArrayList<>();
        lines.add("points " + ring.pointCount());
        lines.add("all " + digest(ring));
        for (int point = 0; point < LISTED; point++) {
            lines.add(describe(ring, point));
        }
        for (int point = ring.pointCount() - LISTED; point < ring.pointCount(); point++) {
            lines.add(describe(ring, point));
        }
        for (String key : List.of("", "a", "key", "key 1", "ключ", "键")) {
            lines.add("key '" + key + "' " + replicas(ring, key));
        }
        assertThat(String.join("\n", lines) + "\n").isEqualTo(golden());
    }

    private static String describe(Ring ring, int point) {
        return "point %d %s %s"
                .formatted(
                        point,
                        new Token(ring.tokenOf(point)),
                        ring.topology().members().get(ring.ownerIndex(ring.tokenOf(point))).name());
    }

    private static String digest(Ring ring) {
        Hasher hasher = Hashing.sha256().newHasher();
        for (int point = 0; point < ring.pointCount(); point++) {
            hasher.putLong(ring.tokenOf(point))
                    .putByte((byte) ring.ownerIndex(ring.tokenOf(point)));
        }
        return hasher.hash().toString();
    }

    private static String replicas(Ring ring, String key) {
        return ring.replicas(key.getBytes(UTF_8), 3).stream()
                .map(Member::name)
                .collect(Collectors.joining(" "));
    }

    private static String golden() throws IOException {
        try (InputStream in = GoldenRingTest.class.getResourceAsStream("/ring/n1-n2-n3.txt")) {
            return new String(in.readAllBytes(), UTF_8);
        }
    }
}
