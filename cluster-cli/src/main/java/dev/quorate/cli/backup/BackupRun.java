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
 * Makes a backup: a checkpoint of each member, then copies of their files. If interrupted, it
 * leaves an unfinished backup, whose tables the next run uses.
 *
 * @param folder a locked folder
 */
record BackupRun(
        StorageFiles files,
        BackupFolder folder,
        Members members,
        int timeoutMillis,
        NodeCopy.Throttle throttle,
        PrintWriter err) {

    /** Long, because a node may have to flush much data first. */
    private static final int CHECKPOINT_MILLIS = 600_000;

    private static final String PATH = "/admin/checkpoint?name=";

    /** The suffix of an unfinished backup whose name is used again. */
    private static final String OLDER = "-1";

    private static final String PREFIX = "backup-";

    /**
     * @throws CommandFailure if a node makes no checkpoint, disconnects, or has damage
     * @throws IOException if the folder cannot be written
     */
    Backup run(String name, long begunMillis) throws IOException, CommandFailure {
        List<Backup> before = folder.list();
        if (!before.isEmpty() && !before.getLast().cluster().equals(members.cluster())) {
            throw CommandFailure.usage(
                    "The folder has backups of cluster %s, and these nodes belong to cluster %s: name another folder."
                            .formatted(before.getLast().cluster(), members.cluster()));
        }
        List<String> unfinished = new ArrayList<>(folder.unfinished());
        for (String each : unfinished) {
            removeCheckpoints(each, members.reached().values());
        }
        if (unfinished.contains(name)) {
            // Rename it: its files are needed until this run is complete.
            String other = name + OLDER;
            files.deleteTree(folder.unfinished(other));
            files.rename(folder.unfinished(name), folder.unfinished(other));
            unfinished.remove(name);
            unfinished.remove(other);
            unfinished.add(other);
        }
        // First, so that the next command removes the checkpoints if this one is killed.
        files.createPrivateDirectory(folder.unfinished(name));
        SortedMap<String, NodeCopy.FileSum> sums;
        List<Node> made = new ArrayList<>();
        try {
            for (Map.Entry<String, Node> each : members.reached().entrySet()) {
                makeCheckpoint(each.getKey(), each.getValue(), name, made);
            }
            requireSameEpoch();
            sums = copy(name, unfinished);
        } finally {
            removeCheckpoints(name, made);
        }
        verify(name);
        Backup backup = folder.publish(name, begunMillis, sums, members);
        for (String each : unfinished) {
            files.deleteTree(folder.unfinished(each));
        }
        return backup;
    }

    /**
     * Fails if members have changed since the command began: some may have lost keys before their
     * checkpoint, and others have gained them after theirs, or have none.
     */
    private void requireSameEpoch() throws IOException, CommandFailure {
        for (Node node : members.reached().values()) {
            RingPage ring = RingPage.parse(node.ask("GET", "/v0/ring", timeoutMillis).text());
            if (ring == null || ring.epoch() > members.epoch()) {
                throw CommandFailure.unavailable(
                        "No backup was made, because the members have changed. Run the command again.");
            }
        }
    }

    /**
     * Makes a checkpoint on a node.
     *
     * @param made receives the node if it made a checkpoint, or may have made one
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
                if (answer.status() != 200 && answer.status() != 404) {
                    problem = answer.problem();
                }
            } catch (IOException e) {
                problem = Node.reason(e);
            }
            if (problem != null) {
                err.printf(
                        "The checkpoint %s remains on %s and takes space: %s%n",
                        PREFIX + name, node.url(), problem);
            }
        }
    }

    /** Copies the files of all nodes. Returns their checksums by path in the backup. */
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

    /** Verifies each block: a node may have sent a damaged table. */
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
                    "A node sent damaged files, so there is no backup. The node heals itself from the"
                            + " others: see ./quorate status.");
            throw CommandFailure.unavailable(String.join(System.lineSeparator(), problems));
        }
    }

    /**
     * The members of a cluster.
     *
     * @param cluster the id of the cluster
     * @param epoch the latest that any of them uses
     * @param reached the members that answered, by name
     * @param missing the names of the others
     */
    record Members(
            String cluster, int epoch, SortedMap<String, Node> reached, List<String> missing) {

        /**
         * Asks each node for its name and the members of its cluster.
         *
         * @throws CommandFailure if the nodes belong to different clusters, or a member that must
         *     not be missing does not answer
         */
        static Members of(List<Node> nodes, Set<String> mayBeMissing, int timeoutMillis)
                throws CommandFailure {
            SortedMap<String, Node> reached = new TreeMap<>();
            Set<String> all = new TreeSet<>();
            String cluster = "";
            int epoch = 0;
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
                    if (ring.cluster().isEmpty()) {
                        problems.add(node.url() + " does not know its cluster's id yet.");
                        continue;
                    }
                    if (!cluster.isEmpty() && !cluster.equals(ring.cluster())) {
                        throw CommandFailure.usage(
                                "%s belongs to cluster %s, and the previous node to cluster %s."
                                        .formatted(node.url(), ring.cluster(), cluster));
                    }
                    cluster = ring.cluster();
                    epoch = Math.max(epoch, ring.epoch());
                    Set<String> members = new TreeSet<>(ring.members());
                    if (!all.isEmpty() && !all.equals(members)) {
                        throw CommandFailure.unavailable(
                                node.url()
                                        + " knows other members than the previous node: "
                                        + String.join(", ", members)
                                        + ". Run the command again after the change.");
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
            return new Members(cluster, epoch, reached, missing);
        }
    }
}
