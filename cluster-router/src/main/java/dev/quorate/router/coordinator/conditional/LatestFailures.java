package dev.quorate.router.coordinator.conditional;

import dev.quorate.router.coordinator.operation.Outcome;
import dev.quorate.router.message.ReplicaAnswer.Failed;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The latest failure of each replica of a conditional write, by name. Thread-safe. */
final class LatestFailures {

    private final Map<String, Failed> failures = new TreeMap<>();

    synchronized void add(String replica, Failed failure) {
        failures.put(replica, failure);
    }

    synchronized long count(Failure reason) {
        return failures.values().stream().filter(each -> each.reason() == reason).count();
    }

    synchronized List<Outcome.ReplicaFailure> list() {
        return failures.entrySet().stream()
                .map(
                        each ->
                                new Outcome.ReplicaFailure(
                                        each.getKey(),
                                        each.getValue().reason(),
                                        each.getValue().detail()))
                .toList();
    }
}
