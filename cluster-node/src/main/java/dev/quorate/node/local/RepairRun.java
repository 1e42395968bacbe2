package dev.quorate.node.local;

import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Has nodes repair, one after the other: what the first has gathered of its peers, each of the
 * others gets of it. Prints how it goes, a line whenever that has changed.
 */
final class RepairRun {

    private static final int TIMEOUT_MILLIS = 5_000;
    private static final long POLL_MILLIS = 250;

    /** As many polls as a progress line stands for. */
    private static final int POLLS_PER_LINE = 8;

    private final PrintWriter out;
    private final CountDownLatch never = new CountDownLatch(1);

    RepairRun(PrintWriter out) {
        this.out = out;
    }

    /** What a node says of its repairs: see {@code admin.RepairText}. */
    private record Told(long round, String state, List<String> peers) {

        static Told of(String node, String text) throws LocalFailure {
            List<String> lines = text.lines().toList();
            String[] words = lines.isEmpty() ? new String[0] : lines.getFirst().split(" ", 3);
            if (words.length < 3 || !words[0].equals("round")) {
                throw new LocalFailure(node + " does not say how its repair goes: " + text.strip());
            }
            try {
                return new Told(Long.parseLong(words[1]), words[2], lines.subList(1, lines.size()));
            } catch (NumberFormatException e) {
                throw new LocalFailure(node + " does not say how its repair goes: " + text.strip());
            }
        }
    }

    void run(List<String> nodes) throws LocalFailure, InterruptedException {
        int agreed = 0;
        for (String node : nodes) {
            agreed += repair(node) ? 1 : 0;
        }
        if (agreed < nodes.size()) {
            throw new LocalFailure("Not all replicas are known to agree.");
        }
        out.println("All replicas agree.");
        out.flush();
    }

    private boolean repair(String node) throws LocalFailure, InterruptedException {
        Told begun = ask("POST", node);
        Told now = begun;
        for (int polls = 1;
                now.round() == begun.round() && now.state().equals("running");
                polls++) {
            if (polls % POLLS_PER_LINE == 0) {
                now.peers().stream()
                        .filter(line -> line.contains(" running: "))
                        .forEach(line -> print(node, line));
            }
            var _ = never.await(POLL_MILLIS, TimeUnit.MILLISECONDS);
            now = ask("GET", node);
        }
        now.peers().forEach(line -> print(node, line));
        return now.state().equals("agreed");
    }

    private void print(String node, String line) {
        out.println(node + " with " + line);
        out.flush();
    }

    private static Told ask(String method, String node) throws LocalFailure {
        URI url;
        try {
            url = new URI(node);
        } catch (URISyntaxException e) {
            throw new LocalFailure("'" + node + "' is not a URL such as http://10.0.0.1:8080.");
        }
        String host = url.getHost();
        if (!"http".equals(url.getScheme()) || host == null || url.getPort() < 0) {
            throw new LocalFailure("'" + node + "' is not a URL such as http://10.0.0.1:8080.");
        }
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(host, url.getPort()), TIMEOUT_MILLIS);
            socket.setSoTimeout(TIMEOUT_MILLIS);
            String request =
                    method
                            + " /admin/repair HTTP/1.1\r\nHost: "
                            + host
                            + "\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            String answer =
                    new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            int head = answer.indexOf("\r\n\r\n");
            if (!answer.startsWith("HTTP/1.1 20") || head < 0) {
                throw new LocalFailure(
                        node + " answers " + answer.lines().findFirst().orElse("nothing") + ".");
            }
            return Told.of(node, answer.substring(head + 4));
        } catch (IOException e) {
            throw new LocalFailure(node + " cannot be asked: " + e.getMessage());
        }
    }
}
