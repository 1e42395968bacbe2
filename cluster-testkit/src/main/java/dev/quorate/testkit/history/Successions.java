package dev.quorate.testkit.history;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Checks the conditional writes of one key, which must take effect at one instant.
 *
 * <p>A write with the condition that the key has value u directly follows u. So values and the
 * conditional writes that replace them form chains, and no other write is inside a chain. Within a
 * chain, an operation on a later value must not end before an operation on an earlier value begins.
 * A chain is older than another if an operation on it ended before an operation on the other began;
 * two chains must not both be older than the other. These checks suffice for an order (the argument
 * of Gibbons and Korach, with chains instead of values: a cycle contains a cycle of two).
 *
 * <p>A conditional write with an unknown outcome counts as executed if its value was observed, or
 * was replaced by a write that counts.
 *
 * <p>Writes with the condition that the key has no value follow the beginning if the key is never
 * deleted. Otherwise the check is only that each can follow a different delete.
 *
 * <p>Violations of only the condition {@code Present} are not found.
 */
final class Successions {

    private static final int NONE = -1;
    private static final int BEGINNING = 0;

    /** Maximum number of creations for which matching deletes are searched. */
    private static final int MAX_MATCHED = 200;

    /** A value, or its absence, with its first ended and its last begun operation. */
    private static final class Node {
        final @Nullable Operation write;
        @Nullable Operation firstEnded;
        @Nullable Operation lastBegun;
        int next = NONE;
        boolean isChained;

        Node(@Nullable Operation write) {
            this.write = write;
        }

        long firstEnd() {
            return firstEnded == null
                    ? write == null ? Long.MIN_VALUE : Long.MAX_VALUE
                    : firstEnded.ended().order();
        }

        long lastStart() {
            return lastBegun == null ? Long.MIN_VALUE : lastBegun.began().order();
        }

        void ended(Operation operation) {
            if (write == null) {
                return; // absent from the beginning
            }
            if (firstEnded == null || operation.ended().isBefore(firstEnded.ended())) {
                firstEnded = operation;
            }
        }

        void begun(Operation operation) {
            if (lastBegun == null || lastBegun.began().isBefore(operation.began())) {
                lastBegun = operation;
            }
        }
    }

    private final String key;
    private final List<Operation> operations;
    private final List<Node> nodes = new ArrayList<>();
    private final Map<String, Integer> byValue = new HashMap<>();
    private final List<Integer> creations = new ArrayList<>();
    private final List<Violation> violations = new ArrayList<>();
    private final boolean isDeleted;

    /**
     * @param operations of one key, with reads in place of writes whose condition failed
     */
    Successions(String key, List<Operation> operations) {
        this.key = key;
        this.operations =
                operations.stream()
                        .filter(o -> !(o.answer() instanceof Answer.Refused))
                        .filter(o -> o.ack() > o.from() / 2)
                        .toList();
        this.isDeleted = this.operations.stream().anyMatch(o -> isDelete(o.action()));
    }

    private static boolean isDelete(Action action) {
        return action instanceof Action.Delete;
    }

    private static boolean isConditional(Operation operation) {
        return !operation.action().condition().equals(HistoryCondition.NONE);
    }

    /**
     * The violations. If operations have several {@code from}, or need not be linearizable, checks
     * only that of the writes with one {@code from} that name one version at most one succeeded.
     */
    List<Violation> violations(Promise promise) {
        boolean isOneFrom = operations.stream().map(Operation::from).distinct().count() <= 1;
        if (operations.stream().noneMatch(Successions::isConditional)) {
            return violations;
        }
        if (promise != Promise.LINEARIZABLE || !isOneFrom) {
            checkWinners();
        } else {
            addNodes();
            addReads();
            link();
            checkChains();
            checkCreations();
        }
        return violations;
    }

    /** Skips restamped values: they have several versions, each of which may be replaced once. */
    private void checkWinners() {
        Map<String, Set<String>> versions = new HashMap<>();
        for (Operation each : operations) {
            if (each.answer() instanceof Answer.Value(String value, String version)) {
                versions.computeIfAbsent(value, _ -> new HashSet<>()).add(version);
            } else if (each.answer() instanceof Answer.Stored(String version)
                    && each.action() instanceof Action.Put(String value, _)) {
                versions.computeIfAbsent(value, _ -> new HashSet<>()).add(version);
            }
        }
        Map<List<Object>, Operation> winners = new HashMap<>();
        for (Operation write : operations) {
            if (write.isAcknowledged()
                    && write.action().condition() instanceof HistoryCondition.Is(String value)
                    && versions.getOrDefault(value, Set.of()).size() <= 1) {
                Operation other = winners.putIfAbsent(List.of(write.from(), value), write);
                if (other != null) {
                    add(
                            Violation.Kind.LOST_UPDATE,
                            "%s was there once, and two writes with one from succeeded on that condition: %s and %s"
                                    .formatted(
                                            HistoryText.quoted(value),
                                            other.action(),
                                            write.action()),
                            Stream.of(other, write));
                }
            }
        }
    }

    // ---- Evidence.

    private void addNodes() {
        nodes.add(new Node(null));
        Set<Operation> executed = executed();
        for (Operation write : operations) {
            if (!write.action().isWrite() || !executed.contains(write)) {
                continue;
            }
            Node node = new Node(write);
            node.begun(write);
            if (write.isAcknowledged()) {
                node.ended(write);
            }
            if (write.action() instanceof Action.Put(String value, _)) {
                byValue.put(value, nodes.size());
            }
            nodes.add(node);
        }
    }

    /** All writes, except for conditional writes without evidence that they were executed. */
    private Set<Operation> executed() {
        Map<String, Operation> puts = new HashMap<>();
        List<Operation> toDo = new ArrayList<>();
        for (Operation operation : operations) {
            if (operation.action() instanceof Action.Put(String value, _)) {
                puts.put(value, operation);
            }
        }
        for (Operation operation : operations) {
            if (operation.answer() instanceof Answer.Value(String value, _)) {
                Stream.ofNullable(puts.get(value)).forEach(toDo::add);
            } else if (operation.isAcknowledged()
                    || (operation.action().isWrite() && !isConditional(operation))) {
                toDo.add(operation);
            }
        }
        Set<Operation> executed = new HashSet<>();
        while (!toDo.isEmpty()) {
            Operation write = toDo.removeLast();
            if (executed.add(write)
                    && write.action().condition() instanceof HistoryCondition.Is(String base)) {
                Stream.ofNullable(puts.get(base)).forEach(toDo::add);
            }
        }
        return executed;
    }

    private void addReads() {
        for (Operation read : operations) {
            Integer node = null;
            if (read.answer() instanceof Answer.Value(String value, _)) {
                node = byValue.get(value);
            } else if (read.answer() instanceof Answer.Absent && !isDeleted) {
                node = BEGINNING;
            }
            if (node != null) {
                nodes.get(node).begun(read);
                nodes.get(node).ended(read);
            }
        }
    }

    // ---- Chains.

    private void link() {
        for (int i = 1; i < nodes.size(); i++) {
            Operation write = Objects.requireNonNull(nodes.get(i).write);
            switch (write.action().condition()) {
                case HistoryCondition.None(), HistoryCondition.Present() -> {}
                case HistoryCondition.Is(String value) -> {
                    Integer base = byValue.get(value);
                    if (base == null) {
                        add(
                                Violation.Kind.FROM_NOWHERE,
                                write.action() + " was done, and nobody wrote that value",
                                write);
                    } else {
                        link(base, i, write);
                    }
                }
                case HistoryCondition.Absent() -> {
                    if (isDeleted) {
                        creations.add(i);
                    } else {
                        link(BEGINNING, i, write);
                    }
                }
            }
        }
    }

    private void link(int base, int node, Operation write) {
        Node before = nodes.get(base);
        if (before.next != NONE) {
            Operation other = Objects.requireNonNull(nodes.get(before.next).write);
            add(
                    Violation.Kind.LOST_UPDATE,
                    "%s once, and two writes succeeded on that condition: %s and %s"
                            .formatted(
                                    before.write == null
                                            ? "The key was absent"
                                            : shown(before.write) + " was there",
                                    other.action(),
                                    write.action()),
                    Stream.of(before.write, other, write));
            return;
        }
        before.next = node;
        nodes.get(node).isChained = true;
    }

    private void checkChains() {
        List<Node> chains = new ArrayList<>();
        int members = 0;
        for (Node first : nodes) {
            if (first.isChained) {
                continue;
            }
            List<Node> chain = new ArrayList<>(List.of(first));
            while (chain.getLast().next != NONE) {
                chain.add(nodes.get(chain.getLast().next));
            }
            members += chain.size();
            checkInside(chain);
            chains.add(merged(chain));
        }
        if (members < nodes.size()) {
            nodes.stream()
                    .filter(node -> node.isChained)
                    .map(node -> Objects.requireNonNull(node.write))
                    .limit(1)
                    .forEach(
                            write ->
                                    add(
                                            Violation.Kind.WRONG_CONDITION,
                                            write.action()
                                                    + " was done, and what it replaced was made"
                                                    + " from it",
                                            write));
        }
        checkBetween(chains);
    }

    /** A chain with its first ended and its last begun operation. */
    private static Node merged(List<Node> chain) {
        Node merged = new Node(chain.getFirst().write);
        for (Node node : chain) {
            Stream.ofNullable(node.firstEnded).forEach(merged::ended);
            Stream.ofNullable(node.lastBegun).forEach(merged::begun);
        }
        return merged;
    }

    /** Finds an operation on an earlier value that began after a later value was observed. */
    private void checkInside(List<Node> chain) {
        Node first = null;
        for (Node node : chain.reversed()) {
            if (first != null && first.firstEnd() < node.lastStart()) {
                Operation ended = Objects.requireNonNull(first.firstEnded);
                Operation begun = Objects.requireNonNull(node.lastBegun);
                add(
                        Violation.Kind.WENT_BACK,
                        described(node)
                                + " had been replaced by "
                                + described(first)
                                + ", and was there again",
                        Stream.of(node.write, first.write, ended, begun));
                return;
            }
            if (first == null || node.firstEnd() < first.firstEnd()) {
                first = node;
            }
        }
    }

    /**
     * Finds two chains that are each older than the other. Visits chains by their ends and compares
     * each only with the earlier chain that began last: if it contradicts another earlier chain
     * instead, those two earlier chains contradict each other.
     */
    private void checkBetween(List<Node> chains) {
        Node last = null;
        for (Node chain :
                chains.stream().sorted(Comparator.comparingLong(Node::firstEnd)).toList()) {
            if (last != null
                    && last.firstEnd() < chain.lastStart()
                    && chain.firstEnd() < last.lastStart()) {
                add(
                        Violation.Kind.UNSTABLE_ORDER,
                        "A write came between a value and what replaced it on the condition that"
                                + " it was there, or an order was answered both ways",
                        Stream.of(
                                chain.firstEnded,
                                chain.lastBegun,
                                last.firstEnded,
                                last.lastBegun));
                return;
            }
            if (last == null || chain.lastStart() > last.lastStart()) {
                last = chain;
            }
        }
    }

    // ---- Writes with the condition that a deleted key has no value.

    private void checkCreations() {
        if (creations.isEmpty() || creations.size() > MAX_MATCHED) {
            return;
        }
        List<Operation> absences = operations.stream().filter(o -> isDelete(o.action())).toList();
        int[] creationOf = new int[absences.size() + 1];
        Arrays.fill(creationOf, NONE);
        for (int creation : creations) {
            if (!match(creation, absences, creationOf, new boolean[creationOf.length])) {
                Operation write = Objects.requireNonNull(nodes.get(creation).write);
                List<Operation> all = new ArrayList<>();
                creations.forEach(i -> Stream.ofNullable(nodes.get(i).write).forEach(all::add));
                add(
                        Violation.Kind.LOST_UPDATE,
                        write.action()
                                + " was done, and with the others on that condition there are more"
                                + " than times at which the key can have been absent",
                        all.stream().limit(20));
                return;
            }
        }
    }

    /** Assigns a delete to a creation, and reassigns those of other creations if necessary. */
    private boolean match(
            int creation, List<Operation> absences, int[] creationOf, boolean[] isTried) {
        for (int i = 0; i < creationOf.length; i++) {
            if (!isTried[i] && canFollow(creation, i == 0 ? null : absences.get(i - 1))) {
                isTried[i] = true;
                if (creationOf[i] == NONE || match(creationOf[i], absences, creationOf, isTried)) {
                    creationOf[i] = creation;
                    return true;
                }
            }
        }
        return false;
    }

    /** Whether a creation can directly follow this delete, or the beginning if null. */
    private boolean canFollow(int creation, @Nullable Operation delete) {
        Operation write = Objects.requireNonNull(nodes.get(creation).write);
        if (delete != null && isOver(write, delete)) {
            return false;
        }
        for (Operation other : operations) {
            boolean isBetween =
                    other.isAcknowledged()
                            && other.isBefore(write)
                            && (delete == null || isOver(delete, other));
            if (isBetween) {
                return false;
            }
        }
        return true;
    }

    /** Whether a write had taken effect before the other operation began. */
    private static boolean isOver(Operation write, Operation other) {
        return write.isAcknowledged() && write.isBefore(other);
    }

    // ---- Text.

    private static String shown(Operation write) {
        return write.action() instanceof Action.Put(String value, _)
                ? HistoryText.quoted(value)
                : "a deleted key";
    }

    private static String described(Node node) {
        return node.write == null ? "An absent key" : shown(node.write);
    }

    private void add(Violation.Kind kind, String what, Operation operation) {
        add(kind, what, Stream.of(operation));
    }

    private void add(Violation.Kind kind, String what, Stream<@Nullable Operation> involved) {
        Stream<Operation> known = involved.filter(Objects::nonNull).map(Objects::requireNonNull);
        violations.add(Violation.of(kind, key, known, what + "."));
    }
}
