package dev.quorate.cli.local;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Lists the key ranges that a node cannot heal because another replica is damaged there too, and
 * accepts their loss if the user types their number.
 */
record LossRun(int timeoutMillis, PrintWriter out, BufferedReader in) {

    /** The number of polls for the end of the healing. */
    private static final int MAX_POLLS = 240;

    /**
     * The state of a node's damage: see {@code admin.NodePages}.
     *
     * @param name the name of the loss to accept; null if there is none
     * @param ranges the number of key ranges of the loss, or else of damaged ranges
     */
    private record Damage(@Nullable String name, long ranges, String text) {

        static Damage of(String node, String page) throws LocalFailure {
            String first = page.lines().findFirst().orElse("");
            String[] words = first.split(" ", -1);
            if (words.length == 3 && words[2].matches("[0-9]{1,9}")) {
                long ranges = Long.parseLong(words[2]);
                if (words[0].equals("loss")) {
                    String text = page.substring(Math.min(first.length() + 1, page.length()));
                    return new Damage(words[1], ranges, text);
                }
                if (first.startsWith("no loss ")) {
                    return new Damage(null, ranges, "");
                }
            }
            throw new LocalFailure(node + " does not say what may be lost: " + page.strip());
        }
    }

    /** Shows the loss of the first node that waits for a confirmation, and asks. */
    void run(List<Node> nodes) throws IOException, InterruptedException {
        for (Node node : nodes) {
            Damage damage = ask(node);
            if (damage.name() != null) {
                accept(node, damage);
                return;
            }
        }
        out.println("No node waits for a loss to be accepted. Nothing was changed.");
        out.flush();
    }

    private void accept(Node node, Damage first) throws IOException, InterruptedException {
        Damage damage = first;
        while (damage.name() != null) {
            ask(node, damage);
            damage = answered(node, damage.name());
        }
        out.println(
                damage.ranges() == 0
                        ? node.url()
                                + " has healed. Nodes that waited for it continue by themselves."
                        : node.url() + " continues healing until quorate_damaged_ranges is 0.");
        out.flush();
    }

    private void ask(Node node, Damage damage) throws IOException {
        out.print(node.url() + ": " + PrintableWriter.printable(damage.text()));
        out.println(
                "To accept the loss, type the number of these ranges, "
                        + damage.ranges()
                        + ". Anything else changes nothing.");
        out.flush();
        String typed = in.readLine();
        if (typed == null || !typed.strip().equals(Long.toString(damage.ranges()))) {
            throw new LocalFailure("Nothing was changed.");
        }
        Node.Answer answer =
                node.text("POST", "/admin/loss?accept=" + damage.name(), timeoutMillis);
        if (answer.status() != 202) {
            throw new LocalFailure(node.url() + " answers " + answer.problem());
        }
    }

    /** Polls until all is healed, other damage needs a confirmation, or the time limit. */
    private Damage answered(Node node, String accepted) throws LocalFailure, InterruptedException {
        Damage damage = ask(node);
        for (int polls = 0; polls < MAX_POLLS; polls++) {
            boolean isDone = damage.name() == null && damage.ranges() == 0;
            if (isDone || (damage.name() != null && !damage.name().equals(accepted))) {
                return damage;
            }
            NodeProcesses.pause(250);
            damage = ask(node);
        }
        return new Damage(null, damage.ranges(), "");
    }

    private Damage ask(Node node) throws LocalFailure {
        Node.Answer answer = node.text("GET", "/admin/loss", timeoutMillis);
        if (answer.status() != 200) {
            throw new LocalFailure(node.url() + " answers " + answer.problem());
        }
        return Damage.of(node.url(), answer.text());
    }
}
