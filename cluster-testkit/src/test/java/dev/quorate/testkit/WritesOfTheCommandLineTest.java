package dev.quorate.testkit;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.cli.client.ClientCommands;
import dev.quorate.router.runtime.SystemTicker;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** Writes of the command line through a node that dies before it answers them. */
class WritesOfTheCommandLineTest {

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    /** Passes on one request a connection, and keeps the answer to the first write of all doors. */
    private static final class DyingDoor implements AutoCloseable {

        private final ServerSocket server =
                new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
        private final URI node;
        private final Runnable afterWrite;
        private final AtomicInteger writes;

        /**
         * In front of a node.
         *
         * @param writes counts those of all doors
         * @param afterWrite is run when the first write was answered, before its connection is
         *     closed
         */
        DyingDoor(TestNode node, AtomicInteger writes, Runnable afterWrite) throws IOException {
            this.node = URI.create(node.url());
            this.writes = writes;
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
                    boolean isWrite =
                            new String(request, ISO_8859_1).matches("(?s)(PUT|DELETE) .*");
                    if (isWrite && writes.incrementAndGet() == 1) {
                        assertThat(new String(answer, ISO_8859_1)).startsWith("HTTP/1.1 20");
                        afterWrite.run();
                    } else {
                        client.getOutputStream().write(answer);
                    }
                } catch (IOException e) {
                    // The next one.
                }
            }
        }

        /** All of it, and that its answer ends with the connection. */
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
                    if (lineStart == 0) {
                        request.writeBytes("Connection: close\r\n".getBytes(ISO_8859_1));
                    }
                    lineStart = request.size();
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
                        InputStream.nullInputStream(),
                        new ByteArrayOutputStream(),
                        () -> false,
                        Map.of())
                .addTo(commandLine);
        commandLine.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
        return commandLine.execute(arguments);
    }

    /** Runs a command that writes through doors in front of two nodes, of which one dies in it. */
    private void runWhereANodeDies(QuorateCluster cluster, Runnable afterWrite, String... command)
            throws IOException {
        AtomicInteger writes = new AtomicInteger();
        try (DyingDoor one = new DyingDoor(cluster.node(1), writes, afterWrite);
                DyingDoor other = new DyingDoor(cluster.node(2), writes, afterWrite)) {
            String[] all = Arrays.copyOf(command, command.length + 2);
            all[command.length] = "--url";
            all[command.length + 1] = one.url() + "," + other.url();
            assertThat(run(all)).as(err.toString()).isZero();
            assertThat(writes).hasValue(2);
        }
    }

    @Test
    void aWriteWhoseAnswerIsLostHasTheSameVersionThroughTheNextNode() throws Exception {
        try (QuorateCluster cluster = QuorateCluster.start(3)) {
            cluster.put("key", "before", "3/3");
            runWhereANodeDies(cluster, () -> {}, "put", "key", "value");
            Reply read = cluster.node(3).get("key", "2/3");
            assertThat(read.text()).isEqualTo("value");
            assertThat(read.version()).isEqualTo(out.toString().strip());
        }
    }

    @Test
    void aWriteWhoseAnswerIsLostDoesNotOverwriteWhatAnotherClientWroteMeanwhile() throws Exception {
        try (QuorateCluster cluster = QuorateCluster.start(3)) {
            runWhereANodeDies(
                    cluster,
                    () ->
                            assertThat(cluster.node(3).put("key", "later", "2/3").status())
                                    .isEqualTo(201),
                    "put",
                    "key",
                    "value");
            assertThat(cluster.node(1).get("key", "2/3").text()).isEqualTo("later");
        }
    }

    @Test
    void aDeleteWhoseAnswerIsLostDoesNotDeleteWhatAnotherClientWroteMeanwhile() throws Exception {
        try (QuorateCluster cluster = QuorateCluster.start(3)) {
            cluster.put("key", "before", "3/3");
            runWhereANodeDies(
                    cluster, () -> cluster.node(3).put("key", "later", "2/3"), "delete", "key");
            assertThat(cluster.node(1).get("key", "2/3").text()).isEqualTo("later");
        }
    }
}
