package dev.quorate.loadtest.beside;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.quorate.loadtest.RawServer;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;

/** A Redis that has a map, and answers in place of it what it is told to. */
final class FakeRedis implements AutoCloseable {

    private final Map<String, String> values = new ConcurrentHashMap<>();
    private final RawServer server;
    private final UnaryOperator<String> change;

    /**
     * Answers at once.
     *
     * @param change of an answer by the first word of the command and the answer; the same for none
     */
    FakeRedis(UnaryOperator<String> change) throws IOException {
        this.change = change;
        this.server = new RawServer(this::serve);
    }

    private void serve(Socket socket) throws IOException {
        socket.setTcpNoDelay(true);
        InputStream in = new BufferedInputStream(socket.getInputStream());
        for (String line = line(in); line.startsWith("*"); line = line(in)) {
            List<String> words = new ArrayList<>();
            for (int left = Integer.parseInt(line.substring(1)); left > 0; left--) {
                int length = Integer.parseInt(line(in).substring(1));
                words.add(new String(in.readNBytes(length), US_ASCII));
                line(in);
            }
            String answer = answer(words);
            String changed = change.apply(String.join(" ", words));
            socket.getOutputStream()
                    .write((changed.isEmpty() ? answer : changed).getBytes(US_ASCII));
        }
        socket.close();
    }

    private String answer(List<String> words) {
        return switch (words.getFirst()) {
            case "PING" -> "+PONG\r\n";
            case "INFO" ->
                    bulk(
                            words.get(1).equals("server")
                                    ? "# Server\r\nredis_version:7.0.15\r\n"
                                    : "# Cluster\r\ncluster_enabled:0\r\n");
            case "CONFIG" ->
                    "*2\r\n"
                            + bulk(words.get(2))
                            + bulk(words.get(2).equals("appendonly") ? "yes" : "always");
            case "SET" -> {
                values.put(words.get(1), words.get(2));
                yield "+OK\r\n";
            }
            case "GET" -> {
                String value = values.get(words.get(1));
                yield value == null ? "$-1\r\n" : bulk(value);
            }
            default -> "-ERR unknown command\r\n";
        };
    }

    private static String bulk(String text) {
        return "$" + text.length() + "\r\n" + text + "\r\n";
    }

    private static String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int next = in.read(); next >= 0 && next != '\n'; next = in.read()) {
            line.append((char) next);
        }
        return line.toString().strip();
    }

    String url() {
        return "redis://127.0.0.1:" + server.address().getPort();
    }

    int keys() {
        return values.size();
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
