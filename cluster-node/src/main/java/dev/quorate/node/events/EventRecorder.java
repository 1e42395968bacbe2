package dev.quorate.node.events;

import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Observes the node, and adds to the log what has happened since the last time. */
public final class EventRecorder {

    /** How often the node is observed. */
    public static final Duration PERIOD = Duration.ofSeconds(1);

    private static final Logger LOG = LoggerFactory.getLogger(EventRecorder.class);

    private final EventLog log;
    private final Supplier<Observation> node;

    /** Guarded by this. */
    private final Changes changes;

    /**
     * A recorder that has observed nothing yet.
     *
     * @param node observes the node; called with the lock, on the caller's thread
     * @param self the name of this node
     * @param reservedDiskBytes free bytes of disk below which the store takes no writes
     * @param maxClockDrift how far the clocks of members may be apart
     */
    public EventRecorder(
            EventLog log,
            Supplier<Observation> node,
            String self,
            long reservedDiskBytes,
            Duration maxClockDrift) {
        this.log = log;
        this.node = node;
        this.changes = new Changes(self, reservedDiskBytes, maxClockDrift);
    }

    /** Observes the node once. Must not run on a selector or a timer: it asks for the free disk. */
    public synchronized void observe() {
        try {
            List<Happening> happened = changes.next(node.get());
            happened.forEach(log::add);
        } catch (RuntimeException e) {
            LOG.error("The node could not be observed for its events", e);
        }
    }
}
