package dev.quorate.loadtest.beside;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.quorate.harness.CommandException;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** Asks a Redis, on one connection, whether it can be measured. */
final class RedisQuestions {

    private static final int PATIENCE_MILLIS = 5_000;
    private static final int MAX_LINE = 1_024;
    private static final int MAX_TEXT = 1 << 20;

    private final String url;
    private final Socket socket;
    private final InputStream in;

    private RedisQuestions(String url, Socket socket) throws IOException {
        this.url = url;
        this.socket = socket;
        this.in = new BufferedInputStream(socket.getInputStream());
    }

    /** Its version, and when what it acknowledges is on its disk. */
    static String description(InetSocketAddress address, String url) throws CommandException {
        try (Socket socket = new Socket()) {
            socket.connect(address, PATIENCE_MILLIS);
            socket.setSoTimeout(PATIENCE_MILLIS);
            return new RedisQuestions(url, socket).description();
        } catch (ConnectException e) {
            throw new CommandException("nothing listens at " + url + ".", e);
        } catch (SocketTimeoutException e) {
            throw new CommandException(
                    url + " does not answer PING within 5 s: it is no Redis, or speaks TLS.", e);
        } catch (IOException e) {
            throw new CommandException(url + " is no Redis: " + e.getMessage(), e);
        }
    }

    private String description() throws IOException, CommandException {
        String pong = ask("PING");
        if (pong.matches("-(NOAUTH|DENIED|NOPERM)\\b.*")) {
            throw new CommandException(
                    url + " requires authentication, which this does not know: " + pong);
        }
        if (!pong.equals("+PONG")) {
            throw new CommandException(url + " is no Redis: it answers PING with '" + pong + "'.");
        }
        String server = ask("INFO", "server");
        if (field(ask("INFO", "cluster"), "cluster_enabled").equals(Optional.of("1"))) {
            throw new CommandException(
                    url + " is a part of a Redis Cluster, and only servers alone are supported.");
        }
        Optional<String> appends = setting("appendonly");
        Optional<String> fsyncs = setting("appendfsync");
        String durability;
        if (appends.isEmpty() || fsyncs.isEmpty()) {
            durability = "whether its writes are on disk when they are acknowledged is not known";
        } else {
            boolean isDurable = appends.get().equals("yes") && fsyncs.get().equals("always");
            durability =
                    "appendonly %s, appendfsync %s: its writes are %s on disk when they are acknowledged"
                            .formatted(appends.get(), fsyncs.get(), isDurable ? "" : "NOT")
                            .replace("  ", " ");
        }
        return "Redis %s, one server; %s"
                .formatted(field(server, "redis_version").orElse("of no version"), durability);
    }

    private Optional<String> setting(String name) throws IOException {
        String[] answer = ask("CONFIG", "GET", name).split("\n", -1);
        return answer.length == 2 && answer[0].equals(name)
                ? Optional.of(answer[1])
                : Optional.empty();
    }

    private static Optional<String> field(String info, String name) {
        return info.lines()
                .map(String::strip)
                .filter(line -> line.startsWith(name + ":"))
                .map(line -> line.substring(name.length() + 1))
                .findFirst();
    }

    /**
     * An answer; of several values, one a line. Simple strings and errors with their first sign.
     */
    private String ask(String... words) throws IOException {
        StringBuilder request = new StringBuilder("*" + words.length + "\r\n");
        Arrays.stream(words)
                .forEach(
                        word ->
                                request.append(
                                        String.format(
                                                Locale.ROOT,
                                                "$%d\r\n%s\r\n",
                                                word.length(),
                                                word)));
        socket.getOutputStream().write(request.toString().getBytes(UTF_8));
        return answer(2);
    }

    /**
     * @param depth so many arrays may be in each other
     */
    private String answer(int depth) throws IOException {
        String line = line();
        if (line.startsWith("$")) {
            int length = number(line);
            if (length < 0) {
                return "";
            }
            byte[] text = in.readNBytes(length);
            line();
            return new String(text, UTF_8);
        }
        if (line.startsWith("*") && depth > 0) {
            int count = number(line);
            StringBuilder values = new StringBuilder();
            for (int i = 0; i < count; i++) {
                values.append(i == 0 ? "" : "\n").append(answer(depth - 1));
            }
            return values.toString();
        }
        return line;
    }

    private static int number(String line) throws IOException {
        try {
            int number = Integer.parseInt(line.substring(1));
            if (number <= MAX_TEXT) {
                return number;
            }
        } catch (NumberFormatException e) {
            // Reported below.
        }
        throw new IOException("it answers '" + line + "'");
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0 && line.isEmpty()) {
                throw new IOException("it closes the connection");
            }
            if (next < 0 || line.length() == MAX_LINE) {
                break;
            }
            line.append((char) next);
        }
        return line.toString().strip();
    }
}
