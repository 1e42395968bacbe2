package dev.quorate.testkit.live;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.cli.process.Command;
import dev.quorate.cli.process.ProcessCluster;
import dev.quorate.node.access.AccessToken;
import dev.quorate.node.access.AccessTokens;
import dev.quorate.node.access.Role;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The configurations of {@code deploy/proxy}, with other addresses, in front of two nodes and a
 * third that takes requests and does not answer. Skipped where the proxy is not installed.
 */
final class ProxyIT {

    private static final Path ROOT = Path.of(System.getProperty("quorate.root"));
    private static final String NAME = "quorate.example";
    private static final int MAX_VALUE_BYTES = 16 << 20;

    @TempDir private Path scratch;
    private int port;
    private String token = "";

    /** A node that is ready, and ends the connection in place of any other answer. */
    private static final class SilentNode implements AutoCloseable {

        final ServerSocket socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        final AtomicInteger reads = new AtomicInteger();
        final AtomicInteger writes = new AtomicInteger();

        SilentNode() throws IOException {
            Thread.ofVirtual().start(this::accept);
        }

        private void accept() {
            try {
                while (true) {
                    Socket client = socket.accept();
                    Thread.ofVirtual().start(() -> answer(client));
                }
            } catch (IOException e) {
                // Closed.
            }
        }

        private void answer(Socket client) {
            try (client;
                    BufferedReader lines =
                            new BufferedReader(
                                    new InputStreamReader(
                                            client.getInputStream(), StandardCharsets.US_ASCII))) {
                String first = lines.readLine();
                while (first != null && !lines.readLine().isEmpty()) {
                    // The rest of the head.
                }
                if (first == null) {
                    return;
                } else if (first.contains("/readyz")) {
                    client.getOutputStream()
                            .write(
                                    "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
                                            .getBytes(StandardCharsets.US_ASCII));
                } else {
                    (first.startsWith("GET") ? reads : writes).incrementAndGet();
                }
            } catch (IOException e) {
                // The proxy has ended it.
            }
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    private String run(String... command) throws Exception {
        Command.Result result =
                new Command(scratch.resolve("out")).run(List.of(command), Duration.ofMinutes(1));
        return result.output().strip();
    }

    /** The status of a request to the proxy; the body is in the file {@code body}. */
    private String curl(String path, String... more) throws Exception {
        List<String> command = new ArrayList<>(List.of("curl", "-s", "-w", "%{http_code}"));
        command.addAll(List.of("-o", scratch.resolve("body").toString(), "-m", "30"));
        command.addAll(List.of("--cacert", scratch.resolve("cert.pem").toString()));
        command.addAll(List.of("--resolve", NAME + ":" + port + ":127.0.0.1"));
        command.addAll(List.of("-H", "Authorization: Bearer " + token));
        command.addAll(List.of(more));
        command.add("https://" + NAME + ":" + port + path);
        return run(command.toArray(String[]::new));
    }

    /** The status of a request that is repeated until it meets a node that answers. */
    private String untilAnswered(String path, String... more) throws Exception {
        String status = "502";
        for (int i = 0; i < 20 && status.equals("502"); i++) {
            status = curl(path, more);
        }
        return status;
    }

    @ParameterizedTest
    @ValueSource(strings = {"nginx", "haproxy"})
    void readsAreRepeatedAndWritesAreNot(String program) throws Exception {
        String path = System.getenv("PATH") + ":/usr/sbin";
        for (String needed : List.of(program, "curl", "openssl")) {
            Assumptions.assumeTrue(Command.find(needed, path).isPresent(), "Skipped: no " + needed);
        }
        run(
                ("openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2"
                                + " -subj /CN=%s -addext subjectAltName=DNS:%s -keyout %s -out %s")
                        .formatted(NAME, NAME, scratch + "/cert.key", scratch + "/cert.pem")
                        .split(" "));
        AccessToken.Issued issued =
                AccessToken.issue("ops", Role.ADMIN, new byte[0], new SecureRandom());
        token = issued.text();
        Path tokens = scratch.resolve("tokens");
        Files.write(tokens, AccessTokens.none().with(issued.token()).bytes());
        Files.setPosixFilePermissions(tokens, PosixFilePermissions.fromString("rw-------"));
        port = ProcessCluster.freePorts(1);
        try (SilentNode silent = new SilentNode();
                NodesInOneProcess nodes =
                        new NodesInOneProcess(
                                scratch.resolve("nodes"),
                                2,
                                Map.of("token-file", tokens.toString(), "known-hosts", NAME))) {
            String config =
                    Files.readString(
                                    ROOT.resolve("deploy/proxy")
                                            .resolve(
                                                    program.equals("nginx")
                                                            ? "nginx.conf"
                                                            : "haproxy.cfg"))
                            .replace("10.0.0.1:8080", "127.0.0.1:" + silent.socket.getLocalPort())
                            .replace("10.0.0.2:8080", "127.0.0.1:" + nodes.port(1))
                            .replace("10.0.0.3:8080", "127.0.0.1:" + nodes.port(2))
                            .replace("listen 443", "listen 127.0.0.1:" + port)
                            .replace("bind :443", "bind 127.0.0.1:" + port)
                            .replace("/etc/nginx/quorate.", scratch + "/cert.")
                            .replace("/etc/haproxy/quorate.pem", scratch + "/both.pem");
            Files.writeString(
                    scratch.resolve("both.pem"),
                    Files.readString(scratch.resolve("cert.pem"))
                            + Files.readString(scratch.resolve("cert.key")));
            Process proxy = start(program, Command.find(program, path).orElseThrow(), config);
            try {
                Awaitility.await()
                        .atMost(Duration.ofSeconds(30))
                        .until(() -> curl("/livez").equals("200"));
                check(silent);
            } finally {
                proxy.destroy();
                proxy.waitFor();
            }
        }
    }

    private Process start(String program, Path executable, String config) throws IOException {
        Path file = scratch.resolve("proxy.conf");
        String text = config;
        if (program.equals("nginx")) {
            Path temporary = Files.createDirectories(scratch.resolve("nginx"));
            StringBuilder folders = new StringBuilder();
            for (String each : List.of("client_body", "proxy", "fastcgi", "uwsgi", "scgi")) {
                folders.append("%s_temp_path %s/%s;\n".formatted(each, temporary, each));
            }
            text =
                    """
                    user root;
                    daemon off;
                    pid %s/pid;
                    error_log stderr warn;
                    events {}
                    http {
                    access_log off;
                    %s%s}
                    """
                            .formatted(temporary, folders, config);
        }
        Files.writeString(file, text);
        List<String> command =
                program.equals("nginx")
                        ? List.of(executable.toString(), "-c", file.toString(), "-e", "stderr")
                        : List.of(executable.toString(), "-db", "-f", file.toString());
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(scratch.resolve("proxy.log").toFile())
                .start();
    }

    private void check(SilentNode silent) throws Exception {
        String entity = "/v0/entity?id=a&replicas=2/2";
        Path large = scratch.resolve("large");
        byte[] value = new byte[MAX_VALUE_BYTES];
        new SecureRandom().nextBytes(value);
        Files.write(large, value);
        assertThat(untilAnswered(entity, "-T", large.toString())).isEqualTo("201");
        for (int i = 0; i < 10 || silent.reads.get() == 0; i++) {
            assertThat(curl(entity)).isEqualTo("200");
        }
        assertThat(scratch.resolve("body")).hasSameBinaryContentAs(large);

        int before = silent.writes.get();
        int refused = 0;
        for (int i = 0; i < 10 || silent.writes.get() == before; i++) {
            // Proxies repeat requests without a body most readily.
            String status = curl("/v0/entity?id=" + i + "&replicas=2/2", "-X", "DELETE");
            assertThat(status).isIn("202", "502");
            refused += status.equals("502") ? 1 : 0;
        }
        assertThat(refused)
                .as("writes that no other node got")
                .isEqualTo(silent.writes.get() - before);

        assertThat(untilAnswered(entity, "-X", "PUT", "-d", "x", "-H", "If-None-Match: *"))
                .isEqualTo("412");
        assertThat(curl("/v0/entity?id=none&wait=1s")).isEqualTo("404");
        // A page of the proxy, and one of another site.
        String[] page = {"-X", "POST", "-H", "Origin: https://" + NAME + ":" + port};
        assertThat(untilAnswered("/admin/repair", with(page, "-H", "Sec-Fetch-Site: same-origin")))
                .isEqualTo("202");
        assertThat(untilAnswered("/admin/repair", with(page, "-H", "Sec-Fetch-Site: cross-site")))
                .isEqualTo("403");
    }

    private static String[] with(String[] words, String... more) {
        List<String> all = new ArrayList<>(List.of(words));
        all.addAll(List.of(more));
        return all.toArray(String[]::new);
    }
}
