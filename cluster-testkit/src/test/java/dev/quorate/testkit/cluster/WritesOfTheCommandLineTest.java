package dev.quorate.testkit.cluster;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.cli.client.ClientCommands;
import dev.quorate.node.runtime.SystemTicker;
import dev.quorate.testkit.QuorateCluster;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** Writes of the command line through a node that dies before it answers them. */
class WritesOfTheCommandLineTest {

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    /** Passes on one request a connection, and of writes keeps the answer. */
    private static final class DyingDoor implements AutoCloseable {

        private final ServerSocket server =
                new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
        private final URI node;
        private final Runnable afterWrite;
        private final AtomicInteger writes = new AtomicInteger();

        /**
         * In front of a node.
         *
         * @param afterWrite is run when a write was answered, before its connection is closed
         */
        DyingDoor(TestNode node, Runnable afterWrite) throws IOException {
            this.node = URI.create(node.url());
            this.afterWrite = afterWrite;
            Thread.ofPlatform().daemon().start(this::serve);
        }

        private void serve() {
            while (!server.isClosed()) {
                try (Socket client = server.accept();
                        Socket to = new Socket(node.getHost(), node.getPort())) {
                    byte[] request = request(client.getInputStream());
                    to.getOutputStream().write(request);
                    byte[] answer = to.getInputStream().readAllBytes();
                    if (new String(request, ISO_8859_1).startsWith("HEAD")) {
                        client.getOutputStream().write(answer);
                    } else {
                        assertThat(new String(answer, ISO_8859_1)).startsWith("HTTP/1.1 20");
                        writes.incrementAndGet();
                        afterWrite.run();
                    }
                } catch (IOException e) {
                    // The next one.
                }
            }
        }

        /** All of it: the body comes with the head here. */
        private static byte[] request(InputStream in) throws IOException {
            ByteArrayOutputStream request = new ByteArrayOutputStream();
            int length = 0;
            int lineStart = 0;
            boolean isHead = true;
            while (isHead) {
                request.write(in.read());
                String text = request.toString(ISO_8859_1);
                if (text.endsWith("\r\n")) {
                    String line = text.substring(lineStart).strip();
                    lineStart = text.length();
                    isHead = !line.isEmpty();
                    if (line.startsWith("Content-Length: ")) {
                        length = Integer.parseInt(line.substring(16));
                    }
                }
            }
            request.writeBytes(in.readNBytes(length));
            return request.toByteArray();
        }

        String url() {
            return "http://127.0.0.1:" + server.getLocalPort();
        }

        @Override
        public void close() throws IOException {
            server.close();
        }
    }

    private int run(String... arguments) {
        CommandLine commandLine =
                new CommandLine(CommandLine.Model.CommandSpec.create().name("quorate"));
        new ClientCommands(
                        SystemTicker.INSTANCE,
                        new SplittableRandom(3),
                        InputStream.nullInputStream(),
                        new ByteArrayOutputStream(),
                        () -> false,
                        Map.of())
                .addTo(commandLine);
        commandLine.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
        return commandLine.execute(arguments);
    }

    @Test
    void aWriteWhoseNodeDiesHasTheSameVersionThroughTheNext() throws Exception {
        try (QuorateCluster cluster = QuorateCluster.start(3);
                DyingDoor door = new DyingDoor(cluster.node(1), () -> cluster.node(1).kill())) {
            cluster.put("key", "before", "3/3");
            String urls = door.url() + "," + cluster.url(2);
            assertThat(run("put", "key", "value", "--url", urls)).as(err.toString()).isZero();
            assertThat(door.writes).hasValue(1);
            Reply read = cluster.node(3).get("key", "2/3");
            assertThat(read.text()).isEqualTo("value");
            assertThat(read.version()).isEqualTo(out.toString().strip());
        }
    }

    @Test
    void aWriteWhoseNodeDiesDoesNotOverwriteWhatAnotherClientWroteMeanwhile() throws Exception {
        try (QuorateCluster cluster = QuorateCluster.start(3);
                DyingDoor door =
                        new DyingDoor(
                                cluster.node(1),
                                () ->
                                        assertThat(
                                                        cluster.node(3)
                                                                .put("key", "later", "2/3")
                                                                .status())
                                                .isEqualTo(201))) {
            String urls = door.url() + "," + cluster.url(2);
            assertThat(run("put", "key", "value", "--url", urls)).as(err.toString()).isZero();
            assertThat(door.writes).hasValue(1);
            assertThat(cluster.node(1).get("key", "2/3").text()).isEqualTo("later");
        }
    }

    @Test
    void aDeleteWhoseNodeDiesDoesNotDeleteWhatAnotherClientWroteMeanwhile() throws Exception {
        try (QuorateCluster cluster = QuorateCluster.start(3);
                DyingDoor door =
                        new DyingDoor(
                                cluster.node(1),
                                () -> cluster.node(3).put("key", "later", "2/3"))) {
            cluster.put("key", "before", "3/3");
            String urls = door.url() + "," + cluster.url(2);
            assertThat(run("delete", "key", "--url", urls)).as(err.toString()).isZero();
            assertThat(cluster.node(1).get("key", "2/3").text()).isEqualTo("later");
        }
    }
}
