package dev.quorate.node.antientropy;

import dev.quorate.router.message.ReplicaAnswer;
import dev.quorate.router.message.ReplicaAnswer.Failed;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import dev.quorate.router.message.ReplicaRequest;
import dev.quorate.router.replica.LocalReplica;
import dev.quorate.router.ring.LivePlacement;
import dev.quorate.router.ring.Placement;
import dev.quorate.router.runtime.Ticker;
import dev.quorate.router.topology.Member;
import dev.quorate.storage.Entry;
import dev.quorate.storage.EntryCursor;
import dev.quorate.storage.KeyValueStore;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Sends a member that has lost its disk the entries that it owns, or one that gains keys their
 * entries, page by page. Stateless.
 *
 * @param gcWatermarkMillis older tombstones, in milliseconds since 1970, are not sent
 */
public record StreamSource(
        KeyValueStore store,
        LivePlacement live,
        Member self,
        Ticker ticker,
        LongSupplier gcWatermarkMillis) {

    /** Approximate heap of an entry in addition to its bytes. */
    private static final int ENTRY_OVERHEAD_BYTES = 100;

    /** See {@code PeerRequestHandler.streamPage}. */
    public ReplicaAnswer streamPage(ReplicaRequest.StreamPage request) {
        Placement placement = live.current();
        List<Member> members = placement.topology().members();
        List<Member> sources =
                members.stream().filter(each -> request.sources().contains(each.number())).toList();
        for (Member member : members) {
            if (member.number() == request.member() && !member.equals(self)) {
                return page(request, new CommonOwnership(placement, self, member), sources);
            }
        }
        return new Failed(Failure.REFUSED, "it asks for a node that is not another member");
    }

    private ReplicaAnswer page(
            ReplicaRequest.StreamPage request, CommonOwnership shared, List<Member> sources) {
        int maxBytes = Math.min(request.maxBytes(), LocalReplica.MAX_PAGE_BYTES);
        long watermarkMillis = gcWatermarkMillis.getAsLong();
        long startedNanos = ticker.nanos();
        List<Entry> sent = new ArrayList<>();
        long bytes = 0;
        long read = 0;
        int entries = 0;
        try (EntryCursor cursor = store.scan(request.start(), null)) {
            while (cursor.next()) {
                boolean isLong =
                        entries >= RangeReader.MAX_ENTRIES
                                || read >= RangeReader.MAX_BYTES
                                || (entries % 64 == 0
                                        && ticker.nanos() - startedNanos >= RangeReader.MAX_NANOS);
                if (entries > 0 && isLong) {
                    return new ReplicaAnswer.StreamedPage(sent, cursor.key());
                }
                Entry entry = cursor.entry();
                long size = entry.dataBytes() + ENTRY_OVERHEAD_BYTES;
                entries++;
                read += size;
                boolean isCollectable =
                        entry.isTombstone() && entry.timestamp().wallMillis() < watermarkMillis;
                if (isCollectable || !shared.isSentByFirst(entry, request.gainsOnly(), sources)) {
                    continue;
                }
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
