package dev.quorate.loadtest.beside;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.sun.net.httpserver.HttpServer;
import dev.quorate.harness.CommandException;
import dev.quorate.harness.NodeClient;
import dev.quorate.loadtest.RawServer;
import dev.quorate.loadtest.beside.OtherStore.Kind;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OtherStoreTest {

    private static final String VERSION = "{\"etcdserver\":\"3.5.16\",\"etcdcluster\":\"3.5.0\"}";

    private final NodeClient client = new NodeClient();

    @AfterEach
    void tearDown() {
        client.close();
    }

    private record Page(int status, String body) {}

    /** Answers paths with pages, and others with 404. */
    private static HttpServer etcd(Map<String, Page> pages) throws IOException {
        HttpServer server =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext(
                "/",
                exchange -> {
                    try (exchange) {
                        exchange.getRequestBody().readAllBytes();
                        Page page =
                                pages.getOrDefault(
                                        exchange.getRequestURI().getPath(), new Page(404, "no"));
                        byte[] body = page.body().getBytes(UTF_8);
                        exchange.sendResponseHeaders(page.status(), body.length);
                        exchange.getResponseBody().write(body);
                    }
                });
        server.start();
        return server;
    }

    private static String url(HttpServer server) {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    private OtherStore ask(Kind kind, String url) throws CommandException {
        return OtherStore.ask(kind, url, client);
    }

    private void assertRefused(Kind kind, String url, String message) {
        assertThatExceptionOfType(CommandException.class)
                .isThrownBy(() -> ask(kind, url))
                .withMessageContaining(message);
    }

    @Test
    void anEtcdIsDescribedByItsVersionAndItsMembers() throws Exception {
        HttpServer server =
                etcd(
                        Map.of(
                                "/version", new Page(200, VERSION),
                                "/v3/kv/range", new Page(200, "{\"header\":{}}"),
                                "/v3/cluster/member/list",
                                        new Page(200, "{\"members\":[{},{},{}]}")));
        try {
            assertThat(ask(Kind.ETCD, url(server) + "/"))
                    .isEqualTo(
                            new OtherStore(
                                    Kind.ETCD,
                                    url(server),
                                    "etcd 3.5.16 with 3 members, by its JSON gateway; reads are"
                                            + " linearizable"));
        } finally {
            server.stop(0);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "400; {\"error\":\"etcdserver: user name is empty\",\"code\":3}; requires authentication",
                "401; {\"error\":\"etcdserver: invalid auth token\",\"code\":16}; requires authentication",
                "403; nothing;                                                 requires authentication",
                "404; no;     status 404: it takes etcd 3.4 or newer, with the gateway on.",
                "500; broken; status 500.",
            })
    void anEtcdThatDoesNotAnswerAReadIsRefusedWithItsReason(int status, String body, String message)
            throws Exception {
        HttpServer server =
                etcd(
                        Map.of(
                                "/version", new Page(200, VERSION),
                                "/v3/kv/range", new Page(status, body)));
        try {
            assertRefused(Kind.ETCD, url(server), message);
        } finally {
            server.stop(0);
        }
    }

    @Test
    void whatIsNoEtcdIsRefused() throws Exception {
        HttpServer server = etcd(Map.of("/version", new Page(200, "1.2.3")));
        HttpServer other = etcd(Map.of());
        try (FakeRedis redis = new FakeRedis(_ -> "-ERR unknown command\r\n");
                RawServer closes = new RawServer(Socket::close)) {
            assertRefused(Kind.ETCD, url(server), "is no etcd: its /version does not say so.");
            assertRefused(Kind.ETCD, url(other), "is no etcd: its /version does not say so.");
            assertRefused(
                    Kind.ETCD, redis.url().replace("redis:", "http:"), "is no etcd, or speaks TLS");
            assertRefused(
                    Kind.ETCD,
                    "http://127.0.0.1:" + closes.address().getPort(),
                    "is no etcd, or speaks TLS");
        } finally {
            server.stop(0);
            other.stop(0);
        }
    }

    @Test
    void aRedisIsDescribedByItsVersionAndWhenItsWritesAreOnDisk() throws Exception {
        try (FakeRedis redis = new FakeRedis(_ -> "");
                FakeRedis lax =
                        new FakeRedis(
                                command ->
                                        command.equals("CONFIG GET appendfsync")
                                                ? "*2\r\n$11\r\nappendfsync\r\n$8\r\neverysec\r\n"
                                                : "");
                FakeRedis silent =
                        new FakeRedis(
                                command ->
                                        command.startsWith("CONFIG")
                                                ? "-ERR unknown command\r\n"
                                                : "")) {
            assertThat(ask(Kind.REDIS, redis.url()).description())
                    .isEqualTo(
                            "Redis 7.0.15, one server; appendonly yes, appendfsync always: its"
                                    + " writes are on disk when they are acknowledged");
            assertThat(ask(Kind.REDIS, lax.url()).description())
                    .endsWith(
                            "appendfsync everysec: its writes are NOT on disk when they are"
                                    + " acknowledged");
            assertThat(ask(Kind.REDIS, silent.url()).description()).endsWith("is not known");
        }
    }

    @Test
    void whatIsNoRedisAloneWithoutAPasswordIsRefused() throws Exception {
        HttpServer http = etcd(Map.of());
        try (FakeRedis locked = new FakeRedis(_ -> "-NOAUTH Authentication required.\r\n");
                FakeRedis clustered =
                        new FakeRedis(
                                command ->
                                        command.equals("INFO cluster")
                                                ? "$17\r\ncluster_enabled:1\r\n"
                                                : "");
                FakeRedis huge =
                        new FakeRedis(
                                command -> command.equals("INFO server") ? "$999999999\r\n" : "");
                RawServer closes = new RawServer(Socket::close)) {
            assertRefused(
                    Kind.REDIS,
                    locked.url(),
                    "requires authentication, which this does not know: -NOAUTH");
            assertRefused(Kind.REDIS, clustered.url(), "is a part of a Redis Cluster");
            assertRefused(Kind.REDIS, huge.url(), "is no Redis: it answers '$999999999'");
            assertRefused(
                    Kind.REDIS, "redis://127.0.0.1:" + closes.address().getPort(), "is no Redis: ");
            assertRefused(Kind.REDIS, url(http).replace("http:", "redis:"), "is no Redis: ");
        } finally {
            http.stop(0);
        }
    }

    @Test
    void anAddressAtWhichNobodyListensIsReported() throws Exception {
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        assertRefused(
                Kind.ETCD,
                "http://127.0.0.1:" + port,
                "nothing listens at http://127.0.0.1:" + port + ".");
        assertRefused(
                Kind.REDIS,
                "redis://127.0.0.1:" + port,
                "nothing listens at redis://127.0.0.1:" + port + ".");
    }

    @ParameterizedTest
    @CsvSource({
        "ETCD,  https://127.0.0.1:2379, of the form http://host:2379.",
        "ETCD,  127.0.0.1:2379,         of the form http://host:2379.",
        "ETCD,  http://127.0.0.1/a,     of the form http://host:2379.",
        "ETCD,  http://a b,             of the form http://host:2379.",
        "ETCD,  http://127.0.0.1:99999, of the form http://host:2379.",
        "REDIS, rediss://127.0.0.1,     of the form redis://host:6379.",
        "REDIS, redis://127.0.0.1/3,    of the form redis://host:6379.",
        "REDIS, redis://:word@127.0.0.1, a user or password in a URL is not supported",
        "REDIS, redis://nobody.invalid, no machine is called nobody.invalid.",
    })
    void anAddressOfAnotherFormIsRefused(Kind kind, String url, String message) {
        assertRefused(kind, url, message);
    }
}
