package dev.quorate.cli.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.quorate.node.config.Secret;
import dev.quorate.router.runtime.SystemTicker;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

final class SecretCommandTest {

    @TempDir private Path folder;
    private final List<HttpServer> nodes = new ArrayList<>();
    private String out = "";

    @AfterEach
    void stop() {
        nodes.forEach(each -> each.stop(0));
    }

    private int run(String... arguments) {
        StringWriter outText = new StringWriter();
        StringWriter errText = new StringWriter();
        CommandLine commandLine = new CommandLine(CommandSpec.create().name("quorate"));
        new ClientCommands(
                        SystemTicker.INSTANCE,
                        new ByteArrayInputStream(new byte[0]),
                        OutputStream.nullOutputStream(),
                        () -> false,
                        Map.of())
                .addTo(commandLine);
        commandLine.setOut(new PrintWriter(outText, true)).setErr(new PrintWriter(errText, true));
        int exit = commandLine.execute(arguments);
        out = outText.toString();
        return exit;
    }

    /** A node that answers the question for its secrets with this; its URL. */
    private String node(int status, String page) throws IOException {
        HttpServer node =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        node.createContext(
                "/admin/secret",
                exchange -> {
                    byte[] body = page.getBytes(UTF_8);
                    exchange.sendResponseHeaders(status, body.length);
                    exchange.getResponseBody().write(body);
                    exchange.close();
                });
        node.start();
        nodes.add(node);
        return "http://127.0.0.1:" + node.getAddress().getPort();
    }

    private static String secret(char of) {
        return String.valueOf(of).repeat(16);
    }

    /** Fingerprints, for lines with a letter for each secret. */
    private static String prints(String letters) {
        return letters.chars()
                .mapToObj(each -> new Secret(secret((char) each)).fingerprints().getFirst())
                .collect(Collectors.joining(" "));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "a  | a  | a  | -  | safe",
                "a  | b  | a  | -  | n2 does not accept a, with which n1 seals",
                "a  | a  | a  | ab | safe",
                "ab | a  | a  | ab | safe",
                "ab | ab | ab | ba | safe",
                // Step 2 before step 1 has arrived.
                "ab | a  | ab | ba | n2 does not accept b, with which FILE seals",
                "a  | a  | a  | ba | n1 does not accept b, with which FILE seals",
                "ab | ba | ab | ba | safe",
                "ba | ba | ba | b  | safe",
                "b  | ba | b  | b  | safe",
                // Step 3 before step 2 has arrived.
                "ba | ab | ba | b  | FILE does not accept a, with which n2 seals",
                "ab | ab | ab | b  | FILE does not accept a, with which n1 seals",
                // Two operators have begun.
                "ab | ac | ab | ba | n2 does not accept b, with which FILE seals",
                "ba | ab | ab | ac | FILE does not accept b, with which n1 seals",
                "ab | ac | ab | ab | safe",
            })
    void theCheckNamesWhoWouldRefuseWhom(
            String one, String two, String three, String next, String verdict) throws IOException {
        String urls =
                String.join(
                        ",",
                        node(200, "n1 " + prints(one) + "\n"),
                        node(200, "n2 " + prints(two) + "\n"),
                        node(200, "n3 " + prints(three) + "\n"));
        String file = folder.resolve("next").toString();
        int exit;
        if (next.equals("-")) {
            exit = run("secret", "--url", urls);
        } else {
            Files.writeString(
                    Path.of(file),
                    next.chars()
                            .mapToObj(each -> secret((char) each) + "\n")
                            .collect(Collectors.joining()));
            exit = run("secret", file, "--url", urls);
        }
        boolean isSafe = verdict.equals("safe");
        assertThat(exit).as(out).isEqualTo(isSafe ? 0 : 1);
        assertThat(out).startsWith("n1  seals with " + prints(one).replace(" ", " and accepts "));
        String wanted = verdict;
        for (char each = 'a'; each <= 'c'; each++) {
            wanted = wanted.replace(" " + each + ",", " " + prints("" + each) + ",");
        }
        assertThat(out).contains((isSafe ? "" : "not safe: ") + wanted.replace("FILE", file));
        assertThat(out).doesNotContain(secret('a').substring(0, 8));
    }

    @Test
    void aNodeThatDoesNotAnswerMakesItUnsafe() throws IOException {
        String both = node(200, "n1 a b\n");
        String silent = node(403, "no admin");
        assertThat(run("secret", "--url", both + "," + silent)).isEqualTo(1);
        assertThat(out)
                .contains(
                        "not safe: " + silent + " is unknown: it answers 403 Forbidden: no admin");
        assertThat(run("secret", "--json", "--url", both)).isZero();
        assertThat(out.strip())
                .isEqualTo("{\"lines\":[\"n1  seals with a and accepts b\",\"safe\"]}");
        assertThat(run("secret", "--url", silent)).isEqualTo(3);
        String alone = node(200, "n1 \n");
        assertThat(run("secret", "--url", alone)).isEqualTo(3);
        assertThat(out).isEqualTo("not safe: %s is unknown: it has no secret%n".formatted(alone));
        assertThat(run("secret", folder.resolve("none").toString(), "--url", both)).isEqualTo(2);
    }
}
