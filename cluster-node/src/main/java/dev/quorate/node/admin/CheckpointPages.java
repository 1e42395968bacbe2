package dev.quorate.node.admin;

import dev.quorate.node.api.page.PageHandler;
import dev.quorate.node.api.page.PageRequest;
import dev.quorate.node.api.request.RequestRefusedException;
import dev.quorate.node.api.request.Route;
import dev.quorate.node.checkpoint.CheckpointName;
import dev.quorate.node.checkpoint.Checkpoints;
import dev.quorate.node.checkpoint.LastBackup;
import dev.quorate.node.checkpoint.NodeCheckpoint;
import dev.quorate.node.http.HttpExchange;
import dev.quorate.node.http.HttpResponse;
import dev.quorate.node.http.Problem;
import dev.quorate.storage.Timestamp;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The page {@code /admin/checkpoint}: a line for each checkpoint, with its name, start time and
 * bytes of its files; {@code NAME under way} for the one in progress. And the page {@code
 * /admin/backup}, by which {@code ./quorate backup} reports a complete backup.
 *
 * @param changes makes and removes checkpoints, one at a time; may reject
 * @param background makes the page; may reject
 */
public record CheckpointPages(
        Checkpoints checkpoints, LastBackup lastBackup, Executor changes, Executor background) {

    private static final Logger LOG = LoggerFactory.getLogger(CheckpointPages.class);

    /** Adds the page to those of the node. */
    public void addTo(Map<Route, PageHandler> pages) {
        pages.put(Route.CHECKPOINT, this::answer);
        pages.put(
                Route.BACKUP,
                (_, exchange) -> SharedPage.answer(changes, exchange, this::completeBackup));
    }

    private HttpResponse completeBackup() {
        try {
            lastBackup.complete();
            return HttpResponse.text(200, "The time of the last backup is recorded.\n");
        } catch (IOException e) {
            LOG.error("The time of the last backup cannot be recorded", e);
            return Problem.response(
                    500, "The time of the last backup cannot be recorded: " + e.getMessage());
        }
    }

    private void answer(PageRequest request, HttpExchange exchange) throws RequestRefusedException {
        if (request.isRead()) {
            SharedPage.answer(background, exchange, this::list);
            return;
        }
        boolean isMade = request.request().method().equals("POST");
        CheckpointName name = name(request);
        SharedPage.answer(
                changes,
                exchange,
                () -> isMade ? made(name, checkpoints.make(name)) : remove(name));
    }

    static CheckpointName name(PageRequest request) throws RequestRefusedException {
        CheckpointName name =
                CheckpointName.of(request.required("name", "the name of the checkpoint"));
        if (name == null) {
            throw new RequestRefusedException(
                    400, "'name' must be 1 to 64 of a-z, 0-9 and the hyphen. Nothing was done.");
        }
        return name;
    }

    private HttpResponse list() {
        StringBuilder text = new StringBuilder();
        try {
            for (Checkpoints.Listed each : checkpoints.list()) {
                text.append(
                        switch (each) {
                            case Checkpoints.Listed.Complete(NodeCheckpoint checkpoint) ->
                                    line(checkpoint);
                            case Checkpoints.Listed.Unreadable(CheckpointName name) ->
                                    name + " unreadable\n";
                        });
            }
        } catch (IOException e) {
            return Problem.response(500, "The checkpoints cannot be listed: " + e.getMessage());
        }
        @Nullable CheckpointName underWay = checkpoints.underWay();
        if (underWay != null) {
            text.append(underWay).append(" under way\n");
        }
        return HttpResponse.text(200, text.toString());
    }

    private static String line(NodeCheckpoint made) {
        return "%s %s %d\n".formatted(made.name(), Timestamp.time(made.madeMillis()), made.bytes());
    }

    private static HttpResponse made(CheckpointName name, Checkpoints.Result result) {
        return switch (result) {
            case Checkpoints.Result.Made(NodeCheckpoint checkpoint) ->
                    HttpResponse.text(201, line(checkpoint));
            case Checkpoints.Result.Exists() ->
                    Problem.response(
                            409,
                            "There is a checkpoint '"
                                    + name
                                    + "': remove it, or choose another name. Nothing was done.");
            case Checkpoints.Result.TooMany() ->
                    Problem.response(
                            409,
                            "There are "
                                    + Checkpoints.MAX_CHECKPOINTS
                                    + " checkpoints, and there may be no more: remove one. Nothing"
                                    + " was done.");
            case Checkpoints.Result.NotNow(String why) ->
                    Problem.of(503, why + " No checkpoint was made.")
                            .header("Retry-After: 10")
                            .response();
            case Checkpoints.Result.DiskFull(String why) ->
                    Problem.response(
                            507, "The disk is full, and no checkpoint was made: " + why + ".");
            case Checkpoints.Result.Failed(String why) ->
                    Problem.response(500, "The checkpoint cannot be made: " + why + ".");
        };
    }

    private HttpResponse remove(CheckpointName name) {
        try {
            return checkpoints.remove(name)
                    ? HttpResponse.text(200, name + " is removed.\n")
                    : Problem.response(404, "There is no checkpoint '" + name + "'.");
        } catch (IOException e) {
            LOG.error("The checkpoint {} cannot be removed", name, e);
            return Problem.response(500, "The checkpoint cannot be removed: " + e.getMessage());
        }
    }
}
