package dev.quorate.node.membership;

import dev.quorate.node.directory.DataDirectory;
import dev.quorate.router.replica.RecordStore;
import dev.quorate.router.ring.LivePlacement;
import dev.quorate.router.ring.Placement;
import dev.quorate.router.topology.LiveTopology;
import dev.quorate.router.topology.Member;
import dev.quorate.storage.Keyspaces;
import java.io.IOException;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hides and deletes the entries of keys that this member does not own any more (decision 0053). It
 * hides them before it uses a topology in which it may have lost keys, until they are deleted.
 *
 * <p>All state changes in tasks of the directory's serial executor.
 */
public final class Leftovers implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Leftovers.class);

    private final Keyspaces keyspaces;
    private final DataDirectory data;
    private final LiveTopology topology;
    private final Membership membership;
    private final Executor directory;
    private final Executor later;

    /** The placement that decides which entries are kept. */
    private volatile Placement placement;

    /** The epoch up to which the last deletion reaches; 0 before the first. */
    private int begun;

    private volatile boolean closed;

    /**
     * Hides leftovers from the time before the start, and begins to delete them.
     *
     * @param live has followed {@code topology} before this does
     * @param directory see {@link Epochs#directory}
     * @param later the same after the deadline of each operation that has begun: operations of
     *     earlier epochs write until then
     */
    public Leftovers(
            Keyspaces keyspaces,
            DataDirectory data,
            LiveTopology topology,
            LivePlacement live,
            Membership membership,
            Executor directory,
            Executor later) {
        this.keyspaces = keyspaces;
        this.data = data;
        this.topology = topology;
        this.membership = membership;
        this.directory = directory;
        this.later = later;
        this.placement = live.current();
        topology.beforeInstalled(
                next -> {
                    if (data.topology().clean() < next.shrunk()) {
                        hideBy(live.current().in(next));
                    }
                });
        topology.whenInstalled(
                next -> {
                    membership.cleanUpTo(data.topology().clean());
                    if (data.topology().clean() < next.shrunk()) {
                        later.execute(() -> delete(next.shrunk()));
                    }
                });
        membership.cleanUpTo(data.topology().clean());
        if (data.topology().clean() < topology.current().shrunk()) {
            hideBy(placement);
            delete(topology.current().shrunk());
        }
    }

    private void hideBy(Placement next) {
        placement = next;
        keyspaces.hide(this::isOwn, this::isOwnRecord);
    }

    private void delete(int epoch) {
        boolean isLast = epoch == topology.current().shrunk() && begun < epoch;
        if (closed || !isLast || topology.current().member(membership.self().name()) == null) {
            return;
        }
        begun = epoch;
        LOG.info("Deleting entries of keys that other members own since epoch {}", epoch);
        keyspaces.discard(
                this::isOwn, this::isOwnRecord, () -> directory.execute(() -> deleted(epoch)));
    }

    private void deleted(int epoch) {
        if (closed || epoch <= data.topology().clean()) {
            return;
        }
        try {
            data.record(data.topology().cleanUpTo(epoch));
        } catch (IOException e) {
            LOG.error("Cannot record that entries of other members are deleted: {}", e.toString());
            later.execute(() -> deleted(epoch));
            return;
        }
        membership.cleanUpTo(epoch);
        if (epoch == topology.current().shrunk()) {
            keyspaces.showAll();
            LOG.info("Deleted the entries of keys that other members own since epoch {}", epoch);
        }
    }

    private boolean isOwn(byte[] key, int from) {
        Placement current = placement;
        Member self = current.topology().member(membership.self().name());
        // One that has left the cluster deletes nothing. While members change, nobody with
        // leftovers
        // gains keys, unless it is rebuilt: then it fetches these keys afterwards.
        return self == null
                || current.before()
                        .replicas(key, current.before().effectiveFrom(from))
                        .contains(self);
    }

    private boolean isOwnRecord(byte[] recordKey, int from) {
        byte[] key = RecordStore.keyOfOwned(recordKey);
        return key == null || isOwn(key, from);
    }

    @Override
    public void close() {
        closed = true;
    }
}
