package dev.quorate.node.admin;

import dev.quorate.node.api.page.PageHandler;
import dev.quorate.node.api.page.PageRequest;
import dev.quorate.node.api.request.RequestRefusedException;
import dev.quorate.node.api.request.Route;
import dev.quorate.node.checkpoint.CheckpointFiles;
import dev.quorate.node.checkpoint.CheckpointName;
import dev.quorate.node.http.HttpExchange;
import dev.quorate.node.http.HttpExchange.StreamSink;
import dev.quorate.node.http.HttpExchange.StreamSource;
import dev.quorate.node.http.HttpResponse;
import dev.quorate.node.http.Problem;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The pages {@code /admin/checkpoint/files}, a line for each file of a checkpoint with its SHA-256,
 * length and path, and {@code /admin/checkpoint/file}, the bytes of one.
 *
 * @param background reads files; may reject
 */
public record CheckpointFilePages(CheckpointFiles files, Executor background) {

    private static final Logger LOG = LoggerFactory.getLogger(CheckpointFilePages.class);

    private static final byte[] NOTHING = {};
    private static final HttpResponse LINES = head("text/plain; charset=utf-8");
    private static final HttpResponse BYTES = head("application/octet-stream");

    /** Bytes of a delivery for the framing of a chunk. */
    private static final int FRAMING_BYTES = 64;

    private static HttpResponse head(String type) {
        return new HttpResponse(200, List.of("Content-Type: " + type), NOTHING);
    }

    /** Produces the next piece of a stream; empty at its end. */
    @FunctionalInterface
    private interface Pieces {
        byte[] next() throws IOException;
    }

    /** Adds the pages to those of the node. */
    public void addTo(Map<Route, PageHandler> pages) {
        pages.put(Route.CHECKPOINT_FILES, this::list);
        pages.put(Route.CHECKPOINT_FILE, this::read);
    }

    /** Answers with a line for each file. */
    private void list(PageRequest request, HttpExchange exchange) throws RequestRefusedException {
        CheckpointName name = CheckpointPages.name(request);
        begin(
                name,
                null,
                exchange,
                paths -> {
                    var each = paths.iterator();
                    Pieces lines =
                            () ->
                                    each.hasNext()
                                            ? (files.describe(name, each.next()) + "\n")
                                                    .getBytes(StandardCharsets.UTF_8)
                                            : NOTHING;
                    exchange.stream(LINES, new Source(lines));
                });
    }

    /** Answers with a file's bytes from an offset on. */
    private void read(PageRequest request, HttpExchange exchange) throws RequestRefusedException {
        String path =
                request.required("path", "that of a file, as /admin/checkpoint/files lists it");
        long offset = request.number("offset", "a number of bytes, in plain digits");
        CheckpointName name = CheckpointPages.name(request);
        begin(
                name,
                path,
                exchange,
                _ -> {
                    long[] at = {offset};
                    Pieces bytes =
                            () -> {
                                int most = StreamSink.DELIVERY_BYTES - FRAMING_BYTES;
                                byte[] piece = files.read(name, path, at[0], most);
                                at[0] += piece.length;
                                return piece;
                            };
                    exchange.stream(BYTES, new Source(bytes));
                });
    }

    /**
     * Begins a stream if the checkpoint, and the file in it, exist.
     *
     * @param path null to require no file
     */
    private void begin(
            CheckpointName name,
            @Nullable String path,
            HttpExchange exchange,
            Consumer<List<String>> beginning) {
        SharedPage.execute(
                background,
                exchange,
                () -> {
                    List<String> paths;
                    try {
                        paths = files.paths(name);
                    } catch (IOException | RuntimeException e) {
                        LOG.error("The files of the checkpoint {} cannot be listed", name, e);
                        exchange.respond(Problem.response(500, "This failed; the log says why."));
                        return;
                    }
                    if (paths.isEmpty()) {
                        exchange.respond(
                                Problem.response(404, "There is no checkpoint '" + name + "'."));
                    } else if (path != null && !paths.contains(path)) {
                        exchange.respond(
                                Problem.response(
                                        404,
                                        "The checkpoint has no such file: they are at"
                                                + " /admin/checkpoint/files?name=NAME."));
                    } else {
                        beginning.accept(paths);
                    }
                });
    }

    /** Reads each piece in the background when the client can accept it. */
    private final class Source implements StreamSource {

        private final Pieces pieces;

        Source(Pieces pieces) {
            this.pieces = pieces;
        }

        @Override
        public void pull(StreamSink sink) {
            try {
                background.execute(() -> deliver(sink));
            } catch (RejectedExecutionException e) {
                sink.abort();
            }
        }

        private void deliver(StreamSink sink) {
            try {
                byte[] piece = pieces.next();
                if (piece.length == 0) {
                    sink.end();
                } else {
                    sink.chunk(piece);
                    sink.more();
                }
            } catch (IOException | RuntimeException e) {
                // It may have been removed meanwhile: the answer is aborted.
                LOG.warn("A file of a checkpoint cannot be read: {}", e.toString());
                sink.abort();
            }
        }

        @Override
        public void close() {
            // Each piece opens and closes the file.
        }
    }
}
