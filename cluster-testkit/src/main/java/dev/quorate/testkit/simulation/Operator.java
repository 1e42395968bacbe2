package dev.quorate.testkit.simulation;

import dev.quorate.node.NodeCore;
import dev.quorate.node.membership.ChangeRule;
import dev.quorate.node.membership.Epochs;
import dev.quorate.router.message.MemberState.Condition;
import dev.quorate.router.topology.Topology;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * Changes the topology of a cluster.
 *
 * @param mostJoining how many members a change adds at most
 */
record Operator(Machines machines, SplittableRandom random, int mostJoining) {

    /** How many members the cluster has in addition, and a change removes, at most. */
    private static final int MOST_ADDED = 2;

    private static final Duration PATIENCE = Duration.ofSeconds(5);

    void changeAddress(SimulatedNode by, SimulatedNode moved) {
        NodeCore core = by.serving();
        if (core == null || core.topology().current().cluster() == null) {
            return;
        }
        String name = moved.member.name();
        if (core.topology().current().member(name) == null) {
            return;
        }
        URI url = URI.create("http://" + name + ":" + (1 + random.nextInt(65_535)));
        machines.record(by + " is told that " + moved + " is at " + url);
        Topology next = ChangeRule.withAddresses(core.topology().current(), Map.of(name, url));
        core.epochs().change(next, PATIENCE, report(by));
    }

    /** Begins a change of members, or cancels the one in progress. */
    void changeMembers(SimulatedNode by) {
        NodeCore core = by.serving();
        if (core == null || core.topology().current().cluster() == null) {
            return;
        }
        Topology current = core.topology().current();
        if (current.isJoint()) {
            if (random.nextInt(4) == 0) {
                machines.record(by + " is told to cancel " + current);
                core.epochs().change(current.cancelled(), PATIENCE, report(by));
            }
        } else {
            changeMembers(by, core, current);
        }
    }

    /** Adds members, removes members, changes the replication factor, or all in one change. */
    private void changeMembers(SimulatedNode by, NodeCore core, Topology current) {
        int more = current.size() - machines.founders;
        int joining = random.nextInt(more == 0 ? 1 : 0, mostJoining + 1);
        int least = Math.max(more + joining - MOST_ADDED, joining == 0 ? 1 : 0);
        int leaving = random.nextInt(least, Math.min(more + joining, MOST_ADDED) + 1);
        List<String> names = new ArrayList<>();
        current.members().forEach(each -> names.add(each.name()));
        Set<String> leaves = new TreeSet<>();
        while (leaves.size() < leaving) {
            leaves.add(names.remove(random.nextInt(names.size())));
        }
        Map<String, URI> joins = new TreeMap<>();
        while (joins.size() < joining) {
            SimulatedNode added =
                    machines.nodes.stream()
                            .filter(each -> !isMember(each, current, joins.keySet()))
                            .findFirst()
                            .orElseGet(machines::add);
            joins.put(added.member.name(), added.member.url());
            if (random.nextInt(3) > 0) { // otherwise with the old directory, if it has one
                added.renew();
            }
            added.start();
        }
        int left = current.size() + joining - leaving;
        int factor = Math.min(current.replicationFactor(), left);
        if (factor > 1 && random.nextInt(3) == 0) { // one copy would not outlive a disk
            factor = random.nextInt(2, Math.min(left, 5) + 1);
        }
        machines.record(
                "%s is told to add %s and remove %s, with %s copies"
                        .formatted(by, joins.keySet(), leaves, factor));
        Topology next =
                ChangeRule.withMembers(
                        current, joins, leaves, Set.of(), Map.of(), factor == 1 ? 0 : factor);
        core.epochs().change(next, PATIENCE, report(by));
    }

    private boolean isMember(SimulatedNode node, Topology current, Set<String> others) {
        String name = node.member.name();
        return current.member(name) != null
                || machines.latest().member(name) != null
                || others.contains(name);
    }

    /**
     * Empties the directories of members that join with those of former members. A member that was
     * told an epoch before the last cancelled change, by one that is behind, is a former member.
     */
    static void renewFormer(Machines machines) {
        for (SimulatedNode node : machines.members()) {
            NodeCore core = node.serving();
            if (core != null && core.membership().ours().condition() == Condition.REMOVED) {
                machines.record(node + " starts with an empty directory");
                node.renew();
                node.start();
            }
        }
    }

    private Consumer<Epochs.Result> report(SimulatedNode by) {
        return result -> machines.record(by + ": " + result);
    }
}
