package dev.quorate.node.events;

import dev.quorate.node.antientropy.RepairStatus;
import dev.quorate.node.coordinator.CoordinatorStatistics;
import dev.quorate.node.handoff.HandoffStatistics;
import dev.quorate.node.health.PeerHealth;
import dev.quorate.storage.StoreStatistics;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The state of a node at one moment.
 *
 * @param millis the moment, in milliseconds since 1970
 * @param isDraining whether the node is stopping
 * @param whyNotServing why no write through it would be taken; null if one would
 * @param data the state of its data
 * @param peers the other members, as seen from here
 * @param hints hints for the other members
 * @param repairs the state of repairs
 * @param coordinator the coordinator's figures
 * @param store the store's figures
 * @param loss the name of the loss that waits for acceptance; null if none does
 */
public record Observation(
        long millis,
        boolean isDraining,
        @Nullable String whyNotServing,
        Data data,
        List<PeerHealth> peers,
        HandoffStatistics hints,
        RepairStatus repairs,
        CoordinatorStatistics coordinator,
        StoreStatistics store,
        @Nullable String loss) {

    public Observation {
        peers = List.copyOf(peers);
    }

    /**
     * The state of the node's data.
     *
     * @param isRebuilding whether it fetches from others what it lost
     * @param description in a few words
     * @param copied entries copied from others since the start
     */
    public record Data(boolean isRebuilding, String description, long copied) {}
}
