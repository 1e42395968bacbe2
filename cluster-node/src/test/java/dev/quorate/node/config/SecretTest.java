package dev.quorate.node.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class SecretTest {

    private static final String OLD = "the secret before";
    private static final String NEW = "the secret after it";

    @Test
    void theFirstLineSealsAndBothAreAccepted() {
        Secret both = new Secret("  " + OLD + "\r\n" + NEW + " \n");
        assertThat(both.bytes()).asString().isEqualTo(OLD);
        assertThat(both.sealOfJoin("*", "a")).isEqualTo(new Secret(OLD).sealOfJoin("*", "a"));
        for (String each : new String[] {OLD, NEW}) {
            String seal = new Secret(each).sealOfJoin("*", "a");
            assertThat(both.isSealOfJoin(seal, "*", "a")).isTrue();
            assertThat(both.isSealOfJoin(seal, "*", "b")).isFalse();
        }
        assertThat(both.isSealOfJoin("", "*", "a")).isFalse();
        String guessed = new Secret("a guessed secret").sealOfJoin("*", "a");
        assertThat(both.isSealOfJoin(guessed, "*", "a")).isFalse();
        assertThat(both).hasToString("********");
    }

    @Test
    void fingerprintsTellSecretsApartAndAreNoPartOfThem() {
        assertThat(new Secret(OLD).fingerprints())
                .singleElement()
                .asString()
                .matches("[0-9a-f]{8}");
        assertThat(new Secret(NEW + "\n" + OLD).fingerprints())
                .containsExactly(
                        new Secret(NEW).fingerprints().getFirst(),
                        new Secret(OLD).fingerprints().getFirst())
                .doesNotHaveDuplicates();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'' | must be at least 16 characters in each line, and has 0.",
                "' \n ' | must be at least 16 characters in each line, and has 0.",
                "short | must be at least 16 characters in each line, and has 5.",
                "'the secret before\nshort' | must be at least 16 characters in each line, and has 5",
                "'the secret before\n\nthe secret after it' | must be at least 16 characters in each",
                "'the secret before\nthe secret after it\nthe secret after that' | must have one line",
                "'the secret before\nthe secret before' | must have one line, or two different ones",
            })
    void anInvalidFileIsRefusedByName(String text, String why, @TempDir Path folder)
            throws IOException {
        Path file = Files.writeString(folder.resolve("secret"), text);
        assertThatThrownBy(() -> Secret.read(file))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith(file + " " + why);
    }
}
