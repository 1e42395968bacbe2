package dev.quorate.cli.local;

import dev.quorate.node.http.HttpStatus;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpResponse.BodySubscribers;
import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * A node with its pages for operators. Requests for entities use {@code quorate-client} instead.
 *
 * @param url {@code http://host:port}, or with https
 */
public record Node(String url, NodeAccess access) {

    /** Maximum number of members of a cluster. */
    public static final int MAX_MEMBERS = 128;

    private static final String FAILED = "failed ";
    private static final String OWN = "x-quorate-";
    private static final int MAX_PAGE_BYTES = 32 << 20;
    private static final int MAX_PROBLEM_CHARS = 65_536;
    private static final Pattern DETAIL =
            Pattern.compile("\"detail\":\"([^\"\\\\]*+(?:\\\\.[^\"\\\\]*+)*+)\"");

    /**
     * The whole answer to a request.
     *
     * @param certificateEndsMillis when the node's certificate expires, in milliseconds since 1970;
     *     0 without TLS
     */
    public record Answer(int status, String text, long certificateEndsMillis) {

        public String statusLine() {
            return status + " " + HttpStatus.reason(status);
        }

        /** The detail of a problem in JSON; empty if it has none. */
        Optional<String> detail() {
            Matcher detail = DETAIL.matcher(text);
            return detail.find()
                    ? Optional.of(detail.group(1).replace("\\\"", "\""))
                    : Optional.empty();
        }

        public String problem() {
            String said = text.strip();
            String shown = said.substring(0, Math.min(said.length(), MAX_PROBLEM_CHARS));
            return (said.isEmpty() ? statusLine() : statusLine() + ": " + shown) + advice(status);
        }

        /** The failed checks in an answer to {@code /readyz}. */
        public List<String> failedChecks() {
            return text.lines()
                    .filter(line -> line.startsWith(FAILED))
                    .map(line -> line.substring(FAILED.length()))
                    .toList();
        }
    }

    /**
     * The answer to a read of an entity.
     *
     * @param explanation the headers of Quorate's own, each as a line
     */
    public record Explained(int status, byte[] body, List<String> explanation) {}

    /** What to do after a status, as a sentence that follows another; empty if that is unknown. */
    public static String advice(int status) {
        return status == 401 ? " --token-file FILE gives the command a token." : "";
    }

    /** Receives the pieces of a body in order. */
    @FunctionalInterface
    public interface Sink {
        void take(byte[] piece) throws IOException;
    }

    /**
     * Parses a URL. Without a scheme, it is https if the user names certificates, and else http.
     *
     * @throws IllegalArgumentException unless it has the form {@code http://host:port}, or https
     */
    public static Node parse(String typed, NodeAccess access) {
        String url = typed.contains("://") ? typed : access.scheme() + "://" + typed;
        try {
            URI uri = new URI(url);
            String path = uri.getPath() == null ? "" : uri.getPath();
            boolean isPlain =
                    ("http".equals(uri.getScheme()) || "https".equals(uri.getScheme()))
                            && uri.getHost() != null
                            && uri.getPort() > 0
                            && uri.getPort() <= 65_535
                            && uri.getUserInfo() == null
                            && uri.getQuery() == null
                            && uri.getFragment() == null
                            && (path.isEmpty() || path.equals("/"));
            if (isPlain) {
                return new Node(url, access);
            }
        } catch (URISyntaxException e) {
            // Reported below.
        }
        throw new IllegalArgumentException(
                "'" + typed + "' is not a URL such as http://10.0.0.1:8080.");
    }

    /**
     * Another member for the same client. The members' URLs have the scheme http, even if clients
     * use TLS.
     *
     * @throws IllegalArgumentException as {@link #parse}
     */
    public Node peer(String memberUrl) {
        return parse(memberUrl.replaceFirst("^https?:", uri().getScheme() + ":"), access);
    }

    public boolean isTls() {
        return url.startsWith("https:");
    }

    public URI uri() {
        return URI.create(url);
    }

    /**
     * Sends a request and reads the complete answer, within limits of time and size.
     *
     * @param target path and query, percent-encoded
     * @param accept the accepted media type; null for any
     * @throws IOException if the answer is not complete in time; the node may have executed it
     */
    public Answer ask(String method, String target, @Nullable String accept, int timeoutMillis)
            throws IOException {
        return answer(request(method, target, accept).build(), timeoutMillis);
    }

    /**
     * Sends a change in JSON to a page that has an ETag, and reads the complete answer as text.
     *
     * @throws IOException if the answer is not complete in time; the node may have executed it
     */
    public Answer change(String target, String ifMatch, String json, int timeoutMillis)
            throws IOException {
        return answer(
                request("POST", target, "text/plain")
                        .header("If-Match", ifMatch)
                        .header("Content-Type", "application/json")
                        .POST(BodyPublishers.ofString(json))
                        .build(),
                timeoutMillis);
    }

    /** Sends a request with headers and without a body, and reads the complete answer as text. */
    public Answer post(String target, int timeoutMillis, String... headers) throws IOException {
        return answer(request("POST", target, null).headers(headers).build(), timeoutMillis);
    }

    private Answer answer(HttpRequest request, int timeoutMillis) throws IOException {
        HttpResponse<String> response =
                send(
                        request,
                        BodyHandlers.limiting(
                                BodyHandlers.ofString(StandardCharsets.UTF_8), MAX_PAGE_BYTES),
                        timeoutMillis);
        long ends =
                response.sslSession().isEmpty() ? 0 : certificateEnds(response.sslSession().get());
        return new Answer(response.statusCode(), response.body(), ends);
    }

    /** Sends a read, and returns the whole answer with its explanation. */
    public Explained explained(String target, int timeoutMillis) throws IOException {
        HttpResponse<byte[]> response =
                send(
                        request("GET", target, null).build(),
                        BodyHandlers.limiting(BodyHandlers.ofByteArray(), MAX_PAGE_BYTES),
                        timeoutMillis);
        List<String> lines =
                response.headers().map().entrySet().stream()
                        .filter(each -> each.getKey().regionMatches(true, 0, OWN, 0, OWN.length()))
                        .flatMap(
                                each ->
                                        each.getValue().stream()
                                                .map(value -> each.getKey() + ": " + value))
                        .toList();
        return new Explained(response.statusCode(), response.body(), lines);
    }

    /** The same for any media type. */
    public Answer ask(String method, String target, int timeoutMillis) throws IOException {
        return ask(method, target, null, timeoutMillis);
    }

    /** The same for text, for commands that end if a node does not answer. */
    Answer text(String method, String target, int timeoutMillis) throws LocalFailure {
        try {
            return ask(method, target, "text/plain", timeoutMillis);
        } catch (IOException e) {
            throw new LocalFailure(url + " cannot be asked: " + reason(e) + ".");
        }
    }

    /**
     * Reads a body of any length. Delivers no piece after this returns.
     *
     * @return the answer; without a text if the status is 200
     * @throws IOException if the answer is incomplete or late, or the sink throws
     */
    public Answer download(String target, int timeoutMillis, Sink sink) throws IOException {
        Delivery delivery = new Delivery(sink);
        try {
            HttpResponse<String> response =
                    send(
                            request("GET", target, null).build(),
                            head ->
                                    head.statusCode() == 200
                                            ? BodySubscribers.mapping(
                                                    BodySubscribers.ofByteArrayConsumer(
                                                            piece ->
                                                                    piece.ifPresent(
                                                                            delivery::take)),
                                                    _ -> "")
                                            : BodySubscribers.limiting(
                                                    BodySubscribers.ofString(
                                                            StandardCharsets.UTF_8),
                                                    MAX_PAGE_BYTES),
                            timeoutMillis);
            return new Answer(response.statusCode(), response.body(), 0);
        } finally {
            delivery.end();
        }
    }

    /** Passes pieces to a sink, and refuses pieces after its end. */
    private static final class Delivery {

        private final Sink sink;
        private boolean isEnded;
        private @Nullable IOException failure;

        Delivery(Sink sink) {
            this.sink = sink;
        }

        synchronized void take(byte[] piece) {
            if (isEnded || failure != null) {
                throw new IllegalStateException("nothing more is taken");
            }
            try {
                sink.take(piece);
            } catch (IOException e) {
                failure = e;
                throw new IllegalStateException("nothing more is taken", e);
            }
        }

        /** Throws what the sink has thrown. */
        synchronized void end() throws IOException {
            isEnded = true;
            if (failure != null) {
                throw failure;
            }
        }
    }

    private HttpRequest.Builder request(String method, String target, @Nullable String accept) {
        HttpRequest.Builder builder =
                HttpRequest.newBuilder(uri().resolve(target))
                        .method(method, BodyPublishers.noBody());
        if (accept != null) {
            builder.header("Accept", accept);
        }
        if (access.token() != null) {
            builder.header("Authorization", "Bearer " + access.token());
        }
        return builder;
    }

    private <T> HttpResponse<T> send(
            HttpRequest request, HttpResponse.BodyHandler<T> handler, int timeoutMillis)
            throws IOException {
        CompletableFuture<HttpResponse<T>> sent = access.http(isTls()).sendAsync(request, handler);
        try {
            return sent.get(timeoutMillis, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw new IOException(
                    "the answer was not complete within " + timeoutMillis / 1_000.0 + " s", e);
        } catch (ExecutionException e) {
            throw new IOException(why(e), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } finally {
            sent.cancel(true);
        }
    }

    /** The first message in a chain of causes. */
    private static String why(Throwable failure) {
        String message = "no answer";
        for (Throwable cause = failure.getCause(); cause != null; cause = cause.getCause()) {
            if (cause instanceof ConnectException) {
                message = "no connection, or no machine has this name";
            }
            if (cause.getMessage() != null) {
                return cause.getMessage();
            }
        }
        return message;
    }

    public static String reason(IOException e) {
        return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    }

    private static long certificateEnds(SSLSession session) throws SSLPeerUnverifiedException {
        return session.getPeerCertificates()[0] instanceof X509Certificate own
                ? own.getNotAfter().toInstant().toEpochMilli()
                : 0;
    }
}
