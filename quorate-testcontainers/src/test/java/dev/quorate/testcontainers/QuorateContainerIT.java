package dev.quorate.testcontainers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quorate.client.Condition;
import dev.quorate.client.Entry;
import dev.quorate.client.Key;
import dev.quorate.client.QuorateClient;
import dev.quorate.client.ReadOptions;
import dev.quorate.client.RefusedException;
import dev.quorate.client.Version;
import dev.quorate.client.WriteOptions;
import dev.quorate.client.WriteResult;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.testcontainers.images.builder.Transferable;
import org.testcontainers.utility.MountableFile;

/** One node in a container, as a user's tests have it. */
final class QuorateContainerIT {

    private static final Version OLD = new Version("01a1ffa680e10000-36c6c909");

    @BeforeAll
    static void docker() {
        ThisBuild.requireDocker();
    }

    @Test
    void oneNode() throws Exception {
        try (QuorateContainer node = new QuorateContainer(ThisBuild.image())) {
            node.start();
            assertThat(node.getConnectionString()).matches("http://[^/:]+:[0-9]+");
            try (QuorateClient client = node.client()) {
                client.learnRing();
                client.put("k", "v");
                assertThat(client.get("k").orElseThrow().text()).isEqualTo("v");
                assertThat(
                                client.putIf(
                                        Key.of("k"),
                                        new byte[0],
                                        Condition.ifAbsent(),
                                        WriteOptions.DEFAULT))
                        .isInstanceOf(WriteResult.Unmet.class);
            }
        }
    }

    private static Entry entry(String key, byte[] value, String type, Instant expires) {
        return new Entry(Key.of(key), value, OLD, type, expires);
    }

    @Test
    void aNodeWithTokenTlsAndInitialData(@TempDir Path folder) throws Exception {
        byte[] large = new byte[3 << 20];
        large[large.length - 1] = 1;
        Instant hour = Instant.now().plusSeconds(3_600);
        Path export = folder.resolve("export.ndjson");
        Files.write(
                export,
                List.of(
                        entry("typed", new byte[] {'x'}, "text/plain", hour).toJson(),
                        entry("large", large, null, null).toJson(),
                        entry("expired", new byte[0], null, Instant.EPOCH.plusMillis(1)).toJson(),
                        "{\"entries\":3}"));
        String lines = "{\"op\":\"put\",\"key\":\"a\",\"value\":\"1\"}\r\n\r\n";
        try (QuorateContainer node =
                new QuorateContainer(ThisBuild.image())
                        .withTls()
                        .withToken("replaced.secret")
                        .withToken("test.secret")
                        .withInitData(MountableFile.forHostPath(export))
                        .withInitData(Transferable.of(lines))) {
            node.start();
            assertThat(node.getConnectionString()).startsWith("https://");
            assertThat(node.certificate()).startsWith("-----BEGIN CERTIFICATE-----\n");
            try (QuorateClient client = node.client()) {
                assertThat(client.get("a").orElseThrow().text()).isEqualTo("1");
                Entry typed = client.get("typed").orElseThrow();
                assertThat(typed.contentType()).isEqualTo("text/plain");
                assertThat(typed.expires()).isBetween(hour.minusSeconds(60), hour.plusSeconds(60));
                assertThat(client.get("large").orElseThrow().value()).isEqualTo(large);
                assertThat(client.get("expired")).isEmpty();
            }
            // The token is that of an admin.
            HttpRequest.Builder events =
                    HttpRequest.newBuilder(node.url().resolve("/admin/events"));
            HttpClient trusting =
                    HttpClient.newBuilder()
                            .version(HttpClient.Version.HTTP_1_1)
                            .sslContext(node.sslContext())
                            .build();
            assertThat(trusting.send(events.build(), BodyHandlers.discarding()).statusCode())
                    .isEqualTo(401);
            events.setHeader("Authorization", "Bearer test.secret");
            assertThat(trusting.send(events.build(), BodyHandlers.discarding()).statusCode())
                    .isEqualTo(200);
            assertThatThrownBy(
                            () ->
                                    HttpClient.newHttpClient()
                                            .send(events.build(), BodyHandlers.discarding()))
                    .isInstanceOf(SSLHandshakeException.class);
            try (QuorateClient unknown =
                    QuorateClient.builder()
                            .nodes(List.of(URI.create(node.getConnectionString())))
                            .token("replaced.secret")
                            .tls(node.sslContext())
                            .build()) {
                assertThatThrownBy(() -> unknown.get(Key.of("a"), ReadOptions.DEFAULT))
                        .isInstanceOf(RefusedException.class);
            }
        }
    }

    @Test
    void aWrongOptionFailsTheStartAndIsNamed() throws Exception {
        try (QuorateContainer node =
                new QuorateContainer(ThisBuild.image()).withOption("request-timeout", "soon")) {
            assertThatThrownBy(node::start)
                    .hasStackTraceContaining("The node has ended: request-timeout=soon: ");
        }
    }

    @Test
    void initialDataThatTheNodeRefusesFailsTheStartWithItsLine() throws Exception {
        String lines =
                """
                {"op":"put","key":"a","value":"1"}
                {"op":"put","key":"b","value":"1","ifMatch":"*"}
                """;
        try (QuorateContainer node =
                new QuorateContainer(ThisBuild.image()).withInitData(Transferable.of(lines))) {
            assertThatThrownBy(node::start)
                    .hasStackTraceContaining(
                            "Line 2 of the initial data is not stored: its condition is not met");
        }
    }
}
