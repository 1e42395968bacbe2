package dev.quorate.cli.backup;

import dev.quorate.cli.client.CommandFailure;
import dev.quorate.cli.client.RingPage;
import dev.quorate.cli.local.Node;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.inspect.Verification;
import dev.quorate.storage.io.StorageFiles;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Makes a backup: a checkpoint of each member, then copies of their files. Ended at any moment, it
 * leaves an unfinished one, whose tables the next run uses.
 *
 * @param folder which is locked
 * @param timeoutMillis how long a node may take for an answer
 * @param err receives warnings
 */
record BackupRun(
        StorageFiles files,
        BackupFolder folder,
        Members members,
        int timeoutMillis,
        NodeCopy.Throttle throttle,
        PrintWriter err) {

    /** A node with much to write to disk first answers late. */
    private static final int CHECKPOINT_MILLIS = 600_000;

    private static final int NOT_FOUND = 404;
    private static final String PATH = "/admin/checkpoint?name=";

    /** Behind the name of an unfinished backup when its name is taken again. */
    private static final String OLDER = "-1";

    /** The prefix of the names of checkpoints. */
    private static final String PREFIX = "backup-";

    /**
     * Makes a backup.
     *
     * @param begunMillis now
     * @throws CommandFailure if a node makes no checkpoint, breaks off, or has damage
     * @throws IOException if the folder cannot be written
     */
    Backup run(String name, long begunMillis) throws IOException, CommandFailure {
        List<String> unfinished = new ArrayList<>(folder.unfinished());
        for (String each : unfinished) {
            removeCheckpoints(each, members.reached().values());
        }
        if (unfinished.contains(name)) {
            // Its directory is needed: what it has stays until this run is complete.
            String other = name + OLDER;
            files.deleteTree(folder.unfinished(other));
            files.rename(folder.unfinished(name), folder.unfinished(other));
            unfinished.remove(name);
            unfinished.remove(other);
            unfinished.add(other);
        }
        // First: a command that is killed while nodes make checkpoints is known to the next one.
        files.createPrivateDirectory(folder.unfinished(name));
        SortedMap<String, NodeCopy.FileSum> sums;
        List<Node> made = new ArrayList<>();
        try {
            for (Map.Entry<String, Node> each : members.reached().entrySet()) {
                makeCheckpoint(each.getKey(), each.getValue(), name, made);
            }
            sums = copy(name, unfinished);
        } finally {
            removeCheckpoints(name, made);
        }
        verify(name);
        Backup backup =
                folder.publish(
                        name,
                        begunMillis,
                        sums,
                        List.copyOf(members.reached().keySet()),
                        members.missing());
        for (String each : unfinished) {
            folder.discard(each);
        }
        return backup;
    }

    /**
     * Has a node make a checkpoint.
     *
     * @param made receives the node, unless it has not made one for certain: what is there by this
     *     name may be that of another command
     */
    private static void makeCheckpoint(String member, Node node, String name, List<Node> made)
            throws CommandFailure {
        String problem;
        try {
            Node.Answer answer = node.ask("POST", PATH + PREFIX + name, CHECKPOINT_MILLIS);
            if (answer.status() == 201) {
                made.add(node);
                return;
            }
            problem = " answers " + answer.problem();
        } catch (IOException e) {
            made.add(node);
            problem = " breaks off: " + Node.reason(e) + ".";
        }
        throw CommandFailure.unavailable(
                member + " has made no checkpoint: " + node.url() + problem);
    }

    private void removeCheckpoints(String name, Collection<Node> nodes) {
        for (Node node : nodes) {
            String problem = null;
            try {
                Node.Answer answer = node.ask("DELETE", PATH + PREFIX + name, CHECKPOINT_MILLIS);
                if (answer.status() != 200 && answer.status() != NOT_FOUND) {
                    problem = answer.problem();
                }
            } catch (IOException e) {
                problem = Node.reason(e);
            }
            if (problem != null) {
                err.printf(
                        "The checkpoint %s is still at %s, and takes space: %s%n",
                        PREFIX + name, node.url(), problem);
            }
        }
    }

    /** Copies all nodes' files; returns them by their paths in the backup. */
    private SortedMap<String, NodeCopy.FileSum> copy(String name, List<String> unfinished)
            throws IOException, CommandFailure {
        List<Path> earlier = new ArrayList<>();
        List<Backup> complete = folder.list();
        if (!complete.isEmpty()) {
            earlier.add(folder.directory(complete.getLast().name()));
        }
        unfinished.forEach(each -> earlier.add(folder.unfinished(each)));
        Path to = folder.unfinished(name);
        SortedMap<String, NodeCopy.FileSum> sums = new TreeMap<>();
        for (Map.Entry<String, Node> each : members.reached().entrySet()) {
            String member = each.getKey();
            NodeCopy copy =
                    new NodeCopy(files, each.getValue(), PREFIX + name, timeoutMillis, throttle);
            List<Path> ofMember = earlier.stream().map(path -> path.resolve(member)).toList();
            for (NodeCopy.FileSum sum : copy.run(to.resolve(member), ofMember)) {
                sums.put(member + "/" + sum.path(), sum);
            }
        }
        return sums;
    }

    /** Reads every block: a node may have sent a table that is damaged there. */
    private void verify(String name) throws IOException, CommandFailure {
        List<String> problems = new ArrayList<>();
        for (String member : members.reached().keySet()) {
            Path store = folder.unfinished(name).resolve(member).resolve("store");
            try {
                Verification.of(
                        files,
                        store,
                        problem -> problems.add(member + ": " + problem.getMessage()));
            } catch (StorageException e) {
                problems.add(member + ": " + e.getMessage());
            }
        }
        if (!problems.isEmpty()) {
            problems.add(
                    "A node has sent what is damaged at it, and there is no backup. The node heals"
                            + " itself from the others: ./quorate status.");
            throw CommandFailure.unavailable(String.join(System.lineSeparator(), problems));
        }
    }

    /**
     * The members of a cluster, and those of them that a command can reach.
     *
     * @param reached by their names
     * @param missing the names of all others
     */
    record Members(SortedMap<String, Node> reached, List<String> missing) {

        /**
         * Asks each node who it is, and who else there is.
         *
         * @throws CommandFailure if they are of different clusters, or one does not answer and is
         *     not among those that may be missing
         */
        static Members of(List<Node> nodes, Set<String> mayBeMissing, int timeoutMillis)
                throws CommandFailure {
            SortedMap<String, Node> reached = new TreeMap<>();
            Set<String> all = new TreeSet<>();
            List<String> problems = new ArrayList<>();
            for (Node node : nodes) {
                try {
                    Node.Answer answer = node.ask("GET", "/v0/ring", timeoutMillis);
                    RingPage ring = answer.status() == 200 ? RingPage.parse(answer.text()) : null;
                    if (ring == null) {
                        problems.add(node.url() + " answers " + answer.problem());
                        continue;
                    }
                    reached.putIfAbsent(ring.self(), node);
                    Set<String> members = new TreeSet<>(ring.members());
                    if (!all.isEmpty() && !all.equals(members)) {
                        throw CommandFailure.usage(
                                node.url()
                                        + " is of another cluster than the one before: its members are "
                                        + String.join(", ", members)
                                        + ".");
                    }
                    all.addAll(members);
                } catch (IOException e) {
                    problems.add(node.url() + " cannot be asked: " + Node.reason(e) + ".");
                }
            }
            List<String> missing = all.stream().filter(name -> !reached.containsKey(name)).toList();
            if (reached.isEmpty() || !mayBeMissing.containsAll(missing)) {
                if (!all.isEmpty()) {
                    problems.add(
                            "No URL leads to "
                                    + String.join(", ", missing)
                                    + ". Start it, name each member's URL with --url, or continue"
                                    + " without it by --without NAME.");
                }
                throw CommandFailure.unavailable(String.join(System.lineSeparator(), problems));
            }
            return new Members(reached, missing);
        }
    }
}
