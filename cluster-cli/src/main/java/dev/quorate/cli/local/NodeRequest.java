package dev.quorate.cli.local;

import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;

/** A minimal HTTP request to a node. */
final class NodeRequest {

    private static final int TIMEOUT_MILLIS = 5_000;
    private static final int STATUS_AT = "HTTP/1.1 ".length();

    /** The answer of a node. */
    record Answer(int status, String statusLine, String body) {}

    private NodeRequest() {}

    /**
     * Sends a request and waits for the whole answer.
     *
     * @param node a URL such as {@code http://10.0.0.1:8080}
     * @param target the path, and what follows it, percent-encoded
     * @throws LocalFailure if the URL is invalid, or the node cannot be reached
     */
    static Answer send(NodeAccess access, String method, String node, String target)
            throws LocalFailure {
        URI url;
        try {
            url = new URI(node);
        } catch (URISyntaxException e) {
            throw new LocalFailure("'" + node + "' is not a URL such as http://10.0.0.1:8080.");
        }
        String host = url.getHost();
        boolean isTls = "https".equals(url.getScheme());
        if (!(isTls || "http".equals(url.getScheme())) || host == null || url.getPort() < 0) {
            throw new LocalFailure("'" + node + "' is not a URL such as http://10.0.0.1:8080.");
        }
        try (Socket socket =
                access.connect(host, url.getPort(), isTls, TIMEOUT_MILLIS, TIMEOUT_MILLIS)) {
            String request =
                    method
                            + " "
                            + target
                            + " HTTP/1.1\r\nHost: "
                            + host
                            + "\r\nAccept: text/plain\r\nContent-Length: 0\r\n"
                            + String.join(
                                    "", access.headers().stream().map(l -> l + "\r\n").toList())
                            + "Connection: close\r\n\r\n";
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            return parse(
                    node,
                    new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new LocalFailure(node + " cannot be asked: " + e.getMessage());
        }
    }

    private static Answer parse(String node, String answer) throws LocalFailure {
        int head = answer.indexOf("\r\n\r\n");
        String statusLine = answer.lines().findFirst().orElse("nothing");
        if (head < 0 || !statusLine.matches("HTTP/1\\.1 [1-5][0-9][0-9]( .*)?")) {
            throw new LocalFailure(node + " answers " + statusLine + ".");
        }
        int status = Integer.parseInt(statusLine.substring(STATUS_AT, STATUS_AT + 3));
        return new Answer(status, statusLine, answer.substring(head + 4));
    }
}
