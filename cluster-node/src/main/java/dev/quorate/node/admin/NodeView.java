package dev.quorate.node.admin;

import dev.quorate.node.antientropy.AcceptedLoss;
import dev.quorate.node.antientropy.Repairs;
import dev.quorate.node.handoff.HandoffStatistics;
import dev.quorate.node.http.connection.HttpListener;
import dev.quorate.node.inquiry.KeyReport;
import dev.quorate.node.membership.Membership;
import dev.quorate.router.health.PeerHealth;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.router.ring.HashRing;
import dev.quorate.router.runtime.EventLog;
import dev.quorate.router.runtime.LogTimes;
import dev.quorate.router.topology.Member;
import dev.quorate.storage.Figures;
import java.util.List;
import java.util.Map;
import java.util.function.BiPredicate;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What the pages of a node show. Each supplier is called when a page is requested, on a background
 * thread, and must neither block for long nor throw.
 *
 * @param self this node
 * @param ring the owners of keys
 * @param version of the program
 * @param sockets the kind of sockets
 * @param recovery what the store recovered when it was opened, in one line
 * @param reservedDiskBytes free bytes of disk below which the store takes no writes
 * @param isDraining whether the node is stopping
 * @param figures of the store and the coordinator
 * @param log how long the store's log has taken
 * @param membership the state of this member
 * @param voters members that are up and vote, as far as this node knows
 * @param peers the other members, as seen from here
 * @param hints hints for the other members
 * @param repairs the state of repairs
 * @param beginRepair begins a repair, unless one is running, and returns which one it is
 * @param loss the loss that a healing waits to have accepted
 * @param acceptLoss accepts a loss by its name; false if another one waits, or none
 * @param inquire asks all members what they hold of a key; false if it cannot now, else the
 *     consumer is told later
 * @param listeners the listeners that are open, by the name they have in metrics
 * @param events what has happened to the node lately
 */
public record NodeView(
        Member self,
        HashRing ring,
        String version,
        String sockets,
        String recovery,
        long reservedDiskBytes,
        BooleanSupplier isDraining,
        Figures figures,
        Supplier<LogTimes> log,
        Membership membership,
        IntSupplier voters,
        Supplier<List<PeerHealth>> peers,
        Supplier<HandoffStatistics> hints,
        Supplier<Repairs.Status> repairs,
        LongSupplier beginRepair,
        Supplier<@Nullable AcceptedLoss> loss,
        Predicate<String> acceptLoss,
        BiPredicate<byte[], Consumer<KeyReport>> inquire,
        Supplier<Map<String, HttpListener>> listeners,
        EventLog events) {

    /**
     * What has to hold for clients to be sent here: that a write through this node, with the
     * replicas that are the default, would be taken. Nodes that wait for each other do not wait for
     * ever, since none has to be ready to be asked by another. A page is only answered once the
     * store has been recovered, which is therefore a check that is always met.
     */
    public List<ReadinessCheck> checks() {
        boolean draining = isDraining.getAsBoolean();
        long free = figures.count("disk_free_bytes");
        return List.of(
                new ReadinessCheck("recovered", true, recovery),
                new ReadinessCheck("data", membership.votes(), membership.progress()),
                quorum(),
                new ReadinessCheck(
                        "serving", !draining, draining ? "the node is stopping" : "not stopping"),
                new ReadinessCheck(
                        "disk",
                        free >= reservedDiskBytes,
                        free + " bytes free, " + reservedDiskBytes + " needed for writes"));
    }

    private ReadinessCheck quorum() {
        int now = voters.getAsInt();
        int needed = QuorumSpec.majority(ring.topology().replicationFactor()).ack();
        return new ReadinessCheck(
                "quorum",
                now >= needed,
                "%d of %d members are up and vote, %d needed for writes"
                        .formatted(now, ring.topology().size(), needed));
    }

    /** Why no write through this node would be taken; null if it would. */
    public @Nullable String whyNotServing() {
        if (isDraining.getAsBoolean()) {
            return "The node is stopping.";
        }
        if (!membership.votes()) {
            return "The node does not vote: " + membership.description() + ".";
        }
        ReadinessCheck quorum = quorum();
        return quorum.holds() ? null : "Only " + quorum.detail() + ".";
    }
}
