package dev.quorate.node.admin;

import static java.util.stream.Collectors.joining;

import dev.quorate.node.antientropy.AcceptedLoss;
import dev.quorate.node.antientropy.Repairs;
import dev.quorate.node.handoff.HandoffStatistics;
import dev.quorate.node.http.connection.HttpListener;
import dev.quorate.node.inquiry.KeyReport;
import dev.quorate.node.membership.Membership;
import dev.quorate.router.health.PeerHealth;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.router.ring.Placement;
import dev.quorate.router.ring.Ring;
import dev.quorate.router.runtime.EventLog;
import dev.quorate.router.runtime.LogTimes;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import dev.quorate.storage.Figures;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiPredicate;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The data that the pages of a node show. Each supplier is called when a page is requested, on a
 * background thread, and must neither block for long nor throw.
 *
 * @param self this node
 * @param placement the members and the owners of keys now
 * @param version the program's version
 * @param sockets the kind of sockets
 * @param recovery a summary of the store's recovery, in one line
 * @param reservedDiskBytes free bytes of disk below which the store refuses writes
 * @param drain whether clients should use other nodes
 * @param figures the figures of the store, the coordinator and the peer endpoint
 * @param log durations of the store's log
 * @param membership the state of this member
 * @param voters members that are up and vote, as far as this node knows
 * @param peers the other members, as seen from here
 * @param hints hints for the other members
 * @param repairs the state of repairs
 * @param beginRepair begins a repair, unless one is running, and returns its number
 * @param loss the loss that a healing needs accepted; null if none
 * @param acceptLoss accepts a loss by its name; false if it is not the waiting one
 * @param inquire asks all members about a key and calls the consumer later; false if too busy
 * @param listeners the open listeners, by their names in metrics
 * @param events recent events of the node
 */
public record NodeView(
        Member self,
        Supplier<Placement> placement,
        String version,
        String sockets,
        String recovery,
        long reservedDiskBytes,
        Drain drain,
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
     * The conditions for sending clients here: a write through this node with the default quorum
     * would be accepted. Nodes do not wait for each other forever, since a node need not be ready
     * to answer peers. Pages are served only after the store's recovery, so that check always
     * holds.
     */
    public List<ReadinessCheck> checks() {
        String drained = drain.reason();
        long free = figures.count("disk_free_bytes");
        return List.of(
                new ReadinessCheck("recovered", true, recovery),
                new ReadinessCheck("data", membership.votes(), membership.progress()),
                quorum(),
                new ReadinessCheck(
                        "serving",
                        drained == null,
                        Objects.requireNonNullElse(drained, "not stopping")),
                new ReadinessCheck(
                        "disk",
                        free >= reservedDiskBytes,
                        free + " bytes free, " + reservedDiskBytes + " needed for writes"));
    }

    private ReadinessCheck quorum() {
        int now = voters.getAsInt();
        Topology topology = topology();
        int needed = QuorumSpec.majority(topology.replicationFactor()).ack();
        String change =
                topology.members().stream()
                        .filter(each -> each.part() != Member.Part.STAYS)
                        .map(
                                each ->
                                        ", "
                                                + each.name()
                                                + " "
                                                + each.part().name().toLowerCase(Locale.ROOT))
                        .collect(
                                joining(
                                        "",
                                        "; in epoch " + topology.epoch() + " members change",
                                        ""));
        return new ReadinessCheck(
                "quorum",
                now >= needed,
                "%d of %d members are up and vote, %d needed for writes%s"
                        .formatted(now, topology.size(), needed, topology.isJoint() ? change : ""));
    }

    /** The topology that the node uses now. */
    public Topology topology() {
        return placement.get().topology();
    }

    /**
     * The fraction of all tokens that each member owns first, by its name, before a change in
     * progress; a member that joins is missing.
     */
    public Map<String, Double> shares() {
        Ring ring = placement.get().before();
        double[] shares = ring.shares();
        Map<String, Double> byName = HashMap.newHashMap(shares.length);
        for (int i = 0; i < shares.length; i++) {
            byName.put(ring.topology().members().get(i).name(), shares[i]);
        }
        return byName;
    }

    /** Whether a member of any topology is this node. */
    public boolean isSelf(Member member) {
        return member.name().equals(self.name());
    }

    /** Why a write through this node would be refused; null if it would be accepted. */
    public @Nullable String whyNotServing() {
        if (drain.isStopping()) {
            return "The node is stopping.";
        }
        if (!membership.votes()) {
            return "The node does not vote: " + membership.description() + ".";
        }
        ReadinessCheck quorum = quorum();
        return quorum.holds() ? null : "Only " + quorum.detail() + ".";
    }
}
