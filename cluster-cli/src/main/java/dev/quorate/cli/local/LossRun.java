package dev.quorate.cli.local;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Shows what a node cannot heal, since another one is damaged in the same keys, and has it go on
 * without if the one who reads it types how many ranges of keys that are.
 */
final class LossRun {

    private static final long POLL_MILLIS = 250;

    /** So long it is looked whether it is healed. */
    private static final int MAX_POLLS = 240;

    private final PrintWriter out;
    private final BufferedReader in;
    private final CountDownLatch never = new CountDownLatch(1);

    LossRun(PrintWriter out, BufferedReader in) {
        this.out = out;
        this.in = in;
    }

    /**
     * What a node says: see {@code admin.LossText}.
     *
     * @param name of the loss; null if none waits
     * @param ranges of keys, of the loss, or else that are damaged
     * @param text for people
     */
    private record Told(@Nullable String name, long ranges, String text) {

        static Told of(String node, String page) throws LocalFailure {
            String first = page.lines().findFirst().orElse("");
            String[] words = first.split(" ", -1);
            if (words.length == 3 && words[2].matches("[0-9]{1,9}")) {
                long ranges = Long.parseLong(words[2]);
                if (words[0].equals("loss")) {
                    String text = page.substring(Math.min(first.length() + 1, page.length()));
                    return new Told(words[1], ranges, text);
                }
                if (first.startsWith("no loss ")) {
                    return new Told(null, ranges, "");
                }
            }
            throw new LocalFailure(node + " does not say what may be lost: " + page.strip());
        }
    }

    /** Shows what the first of the nodes that waits for it may lose, and asks. */
    void run(List<String> nodes) throws IOException, LocalFailure, InterruptedException {
        for (String node : nodes) {
            Told told = ask(node);
            if (told.name() != null) {
                accept(node, told);
                return;
            }
        }
        out.println("No node waits for a loss to be accepted. Nothing was changed.");
        out.flush();
    }

    private void accept(String node, Told first)
            throws IOException, LocalFailure, InterruptedException {
        Told told = first;
        while (told.name() != null) {
            ask(node, told);
            told = answered(node, told.name());
        }
        out.println(
                told.ranges() == 0
                        ? node + " has healed. Others that waited for it go on by themselves."
                        : node + " goes on healing; quorate_damaged_ranges says when it is done.");
        out.flush();
    }

    private void ask(String node, Told told) throws IOException, LocalFailure {
        out.print(node + ": " + told.text());
        out.println(
                "To go on without them, type the number of these ranges, "
                        + told.ranges()
                        + ". Anything else changes nothing.");
        out.flush();
        String typed = in.readLine();
        if (typed == null || !typed.strip().equals(Long.toString(told.ranges()))) {
            throw new LocalFailure("Nothing was changed.");
        }
        NodeRequest.Answer answer =
                NodeRequest.send("POST", node, "/admin/loss?accept=" + told.name());
        if (answer.status() != 202) {
            throw new LocalFailure(
                    node + " answers " + answer.statusLine() + ": " + answer.body().strip());
        }
    }

    /** Looks until all is healed, something else waits, or it takes long. */
    private Told answered(String node, String accepted) throws LocalFailure, InterruptedException {
        Told told = ask(node);
        for (int polls = 0; polls < MAX_POLLS; polls++) {
            boolean isDone = told.name() == null && told.ranges() == 0;
            if (isDone || (told.name() != null && !told.name().equals(accepted))) {
                return told;
            }
            var _ = never.await(POLL_MILLIS, TimeUnit.MILLISECONDS);
            told = ask(node);
        }
        return new Told(null, told.ranges(), "");
    }

    private static Told ask(String node) throws LocalFailure {
        NodeRequest.Answer answer = NodeRequest.send("GET", node, "/admin/loss");
        if (answer.status() != 200) {
            throw new LocalFailure(node + " answers " + answer.statusLine() + ".");
        }
        return Told.of(node, answer.body());
    }
}
