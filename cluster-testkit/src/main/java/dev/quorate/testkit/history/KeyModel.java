package dev.quorate.testkit.history;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The versions of one key, the reads that observed each, and the known constraints of their order.
 *
 * <p>All reads of a value observed one version, except under {@link Promise#MONOTONIC}: there, a
 * read that began before the version was settled may have observed an earlier timestamp of the
 * write. Such a read is a separate version, not newer than the final version of the write.
 */
final class KeyModel {

    private static final int NOTHING = 0;

    private final Promise promise;
    private final Specs specs;
    private final VersionOrder order;
    private final List<VersionNode> versions = new ArrayList<>();
    private int ambiguousReads;
    private @Nullable List<VersionNode> surrounded;

    /**
     * @param operations of one key, by their beginning; each value that is read must be written
     */
    KeyModel(Promise promise, List<Operation> operations) {
        this.promise = promise;
        this.specs = new Specs(promise, operations);
        this.order = new VersionOrder(specs, operations.size() + 1);
        order.addFirst();
        versions.add(new VersionNode(null));
        Map<String, Integer> puts = new HashMap<>();
        List<Integer> deletes = new ArrayList<>();
        for (Operation operation : operations) {
            if (operation.answer() instanceof Answer.Refused) {
                continue;
            }
            switch (operation.action()) {
                case Action.Get() -> {}
                case Action.Put(String value, _) -> puts.put(value, addWrite(operation));
                case Action.Delete(_) -> deletes.add(addWrite(operation));
            }
        }
        List<Operation> absent = new ArrayList<>();
        for (Operation operation : operations) {
            if (operation.answer() instanceof Answer.Value(String value, _)) {
                addRead(puts.getOrDefault(value, NOTHING), operation);
            } else if (operation.answer() instanceof Answer.Absent) {
                absent.add(operation);
            }
        }
        addAbsent(absent, deletes, isOneSpec(operations));
    }

    private int addWrite(Operation write) {
        int node = order.add();
        versions.add(new VersionNode(write));
        order.addOperation(node, write);
        return node;
    }

    private void addRead(int node, Operation read) {
        boolean isFinal =
                promise != Promise.MONOTONIC
                        || order.firstEndFor(node, specs.target(read)) < read.began().order();
        if (isFinal) {
            versions.get(node).add(read);
            order.addOperation(node, read);
        } else {
            int own = order.add();
            versions.add(VersionNode.seenBy(read));
            order.addOperation(own, read);
            order.addAbove(own, node);
        }
    }

    private static boolean isOneSpec(List<Operation> operations) {
        return operations.stream()
                        .filter(o -> !(o.answer() instanceof Answer.Refused))
                        .map(o -> List.of(o.ack(), o.from()))
                        .distinct()
                        .limit(2)
                        .count()
                <= 1;
    }

    private void addAbsent(List<Operation> absent, List<Integer> deletes, boolean isOneSpec) {
        if (deletes.isEmpty()) {
            absent.forEach(read -> addRead(NOTHING, read));
            return;
        }
        List<Operation> writes =
                deletes.stream().map(node -> versions.get(node).theWrite()).toList();
        boolean isLatestBest = isOneSpec && promise != Promise.LINEARIZABLE;
        AbsentReads absences = new AbsentReads(specs, order, versions, deletes, writes);
        int[] chosen = isLatestBest ? absences.latest(absent) : absences.forced(absent);
        for (int i = 0; i < chosen.length; i++) {
            if (chosen[i] == AbsentReads.AMBIGUOUS) {
                ambiguousReads++;
            } else if (chosen[i] >= 0) {
                addRead(chosen[i], absent.get(i));
            } else if (surrounded == null) {
                VersionNode value = versions.get(AbsentReads.surrounding(chosen[i]));
                surrounded = List.of(value, VersionNode.seenBy(absent.get(i)));
            }
        }
    }

    Specs specs() {
        return specs;
    }

    /** The number of absent reads that several deletes explain; they do not constrain the order. */
    int ambiguousReads() {
        return ambiguousReads;
    }

    /** A cycle of versions, each of which must be older than the next; empty if there is none. */
    List<VersionNode> findCycle() {
        if (surrounded != null) {
            return surrounded;
        }
        return order.findCycle().stream().map(versions::get).toList();
    }
}
