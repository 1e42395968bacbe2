package dev.quorate.cli.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** {@code ./quorate why}: what it asks, what it prints, and how it ends. */
class WhyCommandTest extends CommandToANode {

    /** What the node answers: everything that it sends. */
    private volatile String answer = "";

    @Override
    String next() {
        return answer;
    }

    private int run(String... arguments) {
        return execute("", arguments);
    }

    private static String answer(String status, String body) {
        return "HTTP/1.1 " + status + "\r\nContent-Type: text/plain\r\n\r\n" + body;
    }

    @Test
    void aNodesAnswerIsPrinted() {
        answer = answer("200 OK", "Key é\n\nthe table\n");
        assertThat(run("why", "a é+b", "--url", url())).isZero();
        assertThat(out.toString()).isEqualTo("Key é\n\nthe table\n");
        assertThat(asked).contains("GET /admin/why?id=a%20%C3%A9%2Bb HTTP/1.1");
        assertThat(headers).contains("Accept: text/plain");
    }

    @Test
    void aKeyMayBeEncoded() {
        answer = answer("200 OK", "");
        assertThat(run("why", "%ff%2B", "--encoded", "--url", url())).isZero();
        assertThat(asked).contains("GET /admin/why?id=%FF%2B HTTP/1.1");
        assertThat(run("why", "%f", "--encoded", "--url", url())).isEqualTo(2);
        assertThat(err.toString()).contains("hexadecimal");
    }

    @Test
    void nothingAnywhereIsAnExitCodeOfItsOwn() {
        answer = answer("404 Not Found", "the table\n");
        assertThat(run("why", "a", "--url", url())).isEqualTo(1);
        assertThat(out.toString()).isEqualTo("the table\n");
        assertThat(err.toString()).contains("No member holds anything");
    }

    @Test
    void noAnswerIsAnother() throws IOException {
        answer = answer("504 Gateway Timeout", "the table\n");
        assertThat(run("why", "a", "--url", url())).isEqualTo(2);
        assertThat(out.toString()).isEqualTo("the table\n");
        answer = answer("414 URI Too Long", "{\"detail\":\"too long\"}\n");
        assertThat(run("why", "a", "--url", url())).isEqualTo(2);
        assertThat(err.toString()).contains("414 URI Too Long", "too long");
        for (String nonsense : List.of("", "HTTP/1.1 OK\r\n\r\n", "SSH-2.0\r\n\r\n", "\0\n")) {
            answer = nonsense;
            assertThat(run("why", "a", "--url", url())).as(nonsense).isEqualTo(2);
        }
        assertThat(run("why", "a", "--url", "nowhere")).isEqualTo(2);
        assertThat(run("why", "a", "--url", "https://127.0.0.1:1")).isEqualTo(2);
        assertThat(run("why", "a", "--url", "http://127.0.0.1:1")).isEqualTo(2);
        assertThat(err.toString()).contains("cannot be asked");
    }

    @Test
    void withoutAClusterThereIsNoAnswer() {
        assertThat(run("why", "a", "--data", directory.toString())).isEqualTo(2);
        assertThat(run("why")).isEqualTo(2);
        assertThat(asked).isEmpty();
    }

    @Test
    void aTokenComesFromAFileOrTheEnvironment() throws IOException {
        answer = answer("200 OK", "");
        environment = Map.of("QUORATE_TOKEN", "ops.environment");
        assertThat(run("why", "a", "--url", url())).isZero();
        assertThat(headers).contains("Authorization: Bearer ops.environment");
        headers.clear();
        Path file = Files.writeString(directory.resolve("token"), "ops.file\n");
        assertThat(run("why", "a", "--url", url(), "--token-file", file.toString())).isZero();
        assertThat(headers).contains("Authorization: Bearer ops.file");
        for (String bad : List.of("", "two words", "a\r\nX: y", "a".repeat(600))) {
            Files.writeString(file, bad);
            asked.clear();
            assertThat(run("why", "a", "--url", url(), "--token-file", file.toString()))
                    .isEqualTo(2);
            assertThat(asked).isEmpty();
        }
        assertThat(err.toString()).doesNotContain("two words");
    }
}
