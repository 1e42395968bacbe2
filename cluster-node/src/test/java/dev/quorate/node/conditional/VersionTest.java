package dev.quorate.node.conditional;

import static dev.quorate.node.conditional.ConditionalTranscript.version;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.storage.Timestamp;
import java.util.List;
import org.junit.jupiter.api.Test;

class VersionTest {

    private static final List<Version> ASCENDING =
            List.of(
                    Version.ABSENT,
                    version(0, 7),
                    version(5),
                    version(5, 6),
                    version(5, 70),
                    new Version(new Timestamp(5, 0), -1),
                    Version.plain(new Timestamp(5, 1)),
                    version(6),
                    version(6, 7),
                    Version.plain(new Timestamp(-1, -1)));

    @Test
    void aStepComesBeforeTheNextRoot() {
        for (int i = 0; i < ASCENDING.size(); i++) {
            for (int j = 0; j < ASCENDING.size(); j++) {
                assertThat(ASCENDING.get(i).isAfter(ASCENDING.get(j))).isEqualTo(i > j);
            }
        }
    }

    @Test
    void theTextSortsAsVersionsDo() {
        assertThat(ASCENDING.stream().map(Version::toString).sorted())
                .containsExactlyElementsOf(ASCENDING.stream().map(Version::toString).toList());
        assertThat(version(5)).hasToString("0000000000000005-00000000");
        assertThat(version(5, 6)).hasToString("0000000000000005-00000000-0000000000000006");
    }

    @Test
    void theAgeIsThatOfTheLastWrite() {
        assertThat(version(5).madeAt()).isEqualTo(5);
        assertThat(version(5, 6).madeAt()).isEqualTo(6);
    }
}
