package dev.quorate.cli.client;

import dev.quorate.cli.client.ImportTally.Verdict;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Delivers batches, one after the other, over its own connection. For one thread at a time. */
final class ImportLane implements AutoCloseable {

    private static final int MAX_ROUNDS = 15;

    /**
     * An entry that is not stored, and why. All entries before it in its batch are done.
     *
     * @param line its line
     * @param isRefused whether it can never be stored; otherwise no node takes it now
     */
    record Failure(long line, boolean isRefused, String problem) {}

    /**
     * What became of a batch.
     *
     * @param wasTurnedAway whether a node had too much to do, and an entry was sent again
     * @param failure null if all entries are done
     */
    record Outcome(boolean wasTurnedAway, @Nullable Failure failure) {}

    private final List<Node> nodes;
    private final ImportSender sender;
    private final ImportTally tally;
    private final BooleanSupplier pause;

    /** The node that is asked first. */
    private int first;

    /**
     * @param first the number of the node that it begins with
     * @param pause waits before the nodes are asked again; returns whether they are to be
     */
    ImportLane(
            List<Node> nodes,
            int first,
            ImportSender sender,
            ImportTally tally,
            BooleanSupplier pause) {
        this.nodes = nodes;
        this.first = first;
        this.sender = sender;
        this.tally = tally;
        this.pause = pause;
    }

    /** Sends a batch until every entry is done, or one cannot be. */
    Outcome deliver(List<ImportItem> batch) {
        boolean wasTurnedAway = false;
        Left left = new Left(batch, null);
        int rounds = 0;
        List<String> problems = new ArrayList<>();
        while (!left.items.isEmpty()) {
            Left after = send(nodes.get(first), left, problems);
            if (after.items.size() < left.items.size() || isChanged(after.items, left.items)) {
                rounds = 0;
                wasTurnedAway |= !problems.isEmpty();
                problems.clear();
            } else {
                first = (first + 1) % nodes.size();
                rounds++;
            }
            left = after;
            boolean isRound = rounds > 0 && rounds % nodes.size() == 0;
            if (isRound && (rounds >= MAX_ROUNDS * nodes.size() || !pause.getAsBoolean())) {
                List<String> last =
                        problems.subList(
                                Math.max(0, problems.size() - nodes.size()), problems.size());
                String why = String.join(System.lineSeparator(), last);
                return new Outcome(true, new Failure(left.items.getFirst().line(), false, why));
            }
        }
        return new Outcome(wasTurnedAway || !problems.isEmpty(), left.refused);
    }

    /**
     * What has to be sent again.
     *
     * @param refused the first entry that is refused: those behind it are not sent any more
     */
    private record Left(List<ImportItem> items, @Nullable Failure refused) {}

    /** Whether some are sent without their version from now on. */
    private static boolean isChanged(List<ImportItem> left, List<ImportItem> items) {
        return left.stream().filter(ImportItem::isVersioned).count()
                < items.stream().filter(ImportItem::isVersioned).count();
    }

    private Left send(Node node, Left batch, List<String> problems) {
        List<ImportSender.Reply> replies;
        try {
            replies = sender.send(node, batch.items);
        } catch (IOException e) {
            problems.add(node.url() + " did not answer: " + EntityClient.reason(e) + ".");
            return batch;
        }
        List<ImportItem> left = new ArrayList<>();
        Failure refused = batch.refused;
        for (int i = 0; i < replies.size(); i++) {
            ImportItem item = batch.items.get(i);
            switch (tally.judge(item, replies.get(i))) {
                case Verdict.Done() -> {}
                case Verdict.Otherwise(ImportItem otherwise) -> left.add(otherwise);
                case Verdict.Again(String problem) -> {
                    problems.add(node.url() + " answers " + problem);
                    left.add(item);
                }
                case Verdict.Refused(String problem) -> {
                    if (refused == null || item.line() < refused.line()) {
                        refused = new Failure(item.line(), true, problem);
                    }
                }
            }
        }
        if (refused != null) {
            long end = refused.line();
            left.removeIf(each -> each.line() > end);
        }
        return new Left(left, refused);
    }

    @Override
    public void close() {
        sender.close();
    }
}
