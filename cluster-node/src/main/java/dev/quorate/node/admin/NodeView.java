package dev.quorate.node.admin;

import dev.quorate.node.antientropy.LossToAccept;
import dev.quorate.node.antientropy.RepairStatus;
import dev.quorate.node.coordinator.CoordinatorStatistics;
import dev.quorate.node.handoff.HandoffStatistics;
import dev.quorate.node.health.PeerHealth;
import dev.quorate.node.http.HttpListener;
import dev.quorate.node.inquiry.KeyReport;
import dev.quorate.node.membership.Membership;
import dev.quorate.router.ring.HashRing;
import dev.quorate.router.topology.Member;
import dev.quorate.storage.StoreStatistics;
import java.util.List;
import java.util.Map;
import java.util.function.BiPredicate;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A node, as its pages see it. Each supplier is asked when a page is, on a background thread, and
 * must neither block for long nor throw.
 *
 * @param self this node
 * @param ring who owns what
 * @param version of the program
 * @param sockets which sockets are in use
 * @param recovery what opening the store recovered, in one line
 * @param reservedDiskBytes free bytes of disk below which the store takes no writes
 * @param isDraining whether the node is stopping
 * @param store the store's figures
 * @param membership what this member's data is worth
 * @param coordinator the coordinator's figures
 * @param peers the other members, as seen from here
 * @param hints what is kept for the other members
 * @param repairs how repairs go
 * @param beginRepair begins one, unless one is under way, and says which it is
 * @param loss what a healing cannot get back, and waits to be told to do without
 * @param acceptLoss tells it so, by the name of the loss; false if it is not what waits now
 * @param inquire asks all members what they hold of a key; false if it cannot now, else the
 *     consumer is told later
 * @param listeners the listeners that are open, by the name they have in metrics
 */
public record NodeView(
        Member self,
        HashRing ring,
        String version,
        String sockets,
        String recovery,
        long reservedDiskBytes,
        BooleanSupplier isDraining,
        Supplier<StoreStatistics> store,
        Membership membership,
        Supplier<CoordinatorStatistics> coordinator,
        Supplier<List<PeerHealth>> peers,
        Supplier<HandoffStatistics> hints,
        Supplier<RepairStatus> repairs,
        LongSupplier beginRepair,
        Supplier<@Nullable LossToAccept> loss,
        Predicate<String> acceptLoss,
        BiPredicate<byte[], Consumer<KeyReport>> inquire,
        Supplier<Map<String, HttpListener>> listeners) {

    /**
     * What has to hold for clients to be sent here. Never that others are ready: nodes that wait
     * for each other would wait for ever after a restart of all. But a member with an empty disk is
     * not ready before it has heard what the others have; it is one that they can ask by then. A
     * page is only answered once the store has been recovered, which is therefore a check that is
     * always met.
     */
    List<Check> checks() {
        boolean draining = isDraining.getAsBoolean();
        long free = store.get().freeDiskBytes();
        return List.of(
                new Check("recovered", true, recovery),
                new Check("data", !membership.isUndecided(), membership.progress()),
                new Check("serving", !draining, draining ? "the node is stopping" : "not stopping"),
                new Check(
                        "disk",
                        free >= reservedDiskBytes,
                        free + " bytes free, " + reservedDiskBytes + " needed for writes"));
    }
}
