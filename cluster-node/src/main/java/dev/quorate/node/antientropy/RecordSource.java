package dev.quorate.node.antientropy;

import dev.quorate.router.message.ReplicaAnswer;
import dev.quorate.router.message.ReplicaAnswer.Failed;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import dev.quorate.router.message.ReplicaRequest;
import dev.quorate.router.replica.LocalReplica;
import dev.quorate.router.replica.RecordStore;
import dev.quorate.router.ring.LivePlacement;
import dev.quorate.router.ring.Placement;
import dev.quorate.router.topology.Member;
import dev.quorate.storage.Entry;
import dev.quorate.storage.EntryCursor;
import dev.quorate.storage.KeyValueStore;
import java.util.ArrayList;
import java.util.List;

/**
 * Sends a member that has lost its disk the records of conditional writes that it may have had, or
 * one that gains keys their records. Stateless.
 *
 * @param records the keyspace of these records in this node's store
 */
public record RecordSource(KeyValueStore records, LivePlacement live, Member self) {

    /** Approximate heap of a record in addition to its bytes. */
    private static final int RECORD_OVERHEAD_BYTES = 100;

    /** See {@code PeerRequestHandler.streamRecords}. */
    ReplicaAnswer streamRecords(ReplicaRequest.StreamRecords request) {
        Placement placement = live.current();
        for (Member member : placement.topology().members()) {
            if (member.number() == request.member() && !member.equals(self)) {
                return page(request, new CommonOwnership(placement, self, member));
            }
        }
        return new Failed(Failure.REFUSED, "it asks for a node that is not another member");
    }

    private ReplicaAnswer page(ReplicaRequest.StreamRecords request, CommonOwnership shared) {
        int maxBytes = Math.min(request.maxBytes(), LocalReplica.MAX_PAGE_BYTES);
        List<Entry> sent = new ArrayList<>();
        long bytes = 0;
        int read = 0;
        try (EntryCursor cursor = records.scan(request.start(), null)) {
            while (cursor.next()) {
                if (read++ == RangeReader.MAX_ENTRIES) {
                    return new ReplicaAnswer.StreamedPage(sent, cursor.key());
                }
                Entry entry = cursor.entry();
                byte[] key = RecordStore.clientKey(entry.key());
                if (key == null
                        || !RecordStore.isToBeCopied(entry)
                        || !(request.gainsOnly()
                                ? shared.isGained(key, entry.from())
                                : shared.holds(key, entry.from()))) {
                    continue;
                }
                long size = entry.dataBytes() + RECORD_OVERHEAD_BYTES;
                if (bytes + size > maxBytes && !sent.isEmpty()) {
                    return new ReplicaAnswer.StreamedPage(sent, entry.key());
                }
                bytes += size;
                sent.add(entry);
            }
        }
        return new ReplicaAnswer.StreamedPage(sent, null);
    }
}
