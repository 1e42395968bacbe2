package dev.quorate.node.antientropy;

import dev.quorate.router.message.ReplicaAnswer;
import dev.quorate.router.message.ReplicaAnswer.Failed;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import dev.quorate.router.message.ReplicaRequest;
import dev.quorate.router.replica.LocalReplica;
import dev.quorate.router.replica.RecordStore;
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
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Answers the other members' comparisons, and sends what a member that has lost its disk owns, or
 * one that gains keys needs, page by page: entries, or the records of conditional writes that it
 * may have had. Stateless.
 *
 * @param records the keyspace of these records in this node's store
 * @param gcWatermarkMillis older tombstones, in milliseconds since 1970, are not sent
 */
public record StoreSource(
        KeyValueStore store,
        KeyValueStore records,
        LivePlacement live,
        Member self,
        Ticker ticker,
        LongSupplier gcWatermarkMillis) {

    /** Approximate heap of an entry or a record in addition to its bytes. */
    private static final int OVERHEAD_BYTES = 100;

    /** See {@code PeerRequestHandler.compare}. */
    public ReplicaAnswer compare(ReplicaRequest.Compare request) {
        Placement placement = live.current();
        Member member = placement.topology().member(request.member());
        if (member == null) {
            return new Failed(Failure.REFUSED, "it compares for a node that is not a member");
        }
        CommonOwnership shared = new CommonOwnership(placement, self, member);
        RangeReader reader = new RangeReader(store, shared, ticker, request.salt());
        reader.ignoreTombstonesBefore(request.gcWatermarkMillis());
        return new ReplicaAnswer.Compared(reader.compare(request));
    }

    /** What this node and another member own; null if the number is not another member's. */
    private @Nullable CommonOwnership sharedWith(int number) {
        Placement placement = live.current();
        Member member = placement.topology().member(number);
        return member == null || member.equals(self)
                ? null
                : new CommonOwnership(placement, self, member);
    }

    private static Failed refused() {
        return new Failed(Failure.REFUSED, "it asks for a node that is not another member");
    }

    /** See {@code PeerRequestHandler.streamPage}. */
    public ReplicaAnswer streamPage(ReplicaRequest.StreamPage request) {
        CommonOwnership shared = sharedWith(request.member());
        if (shared == null) {
            return refused();
        }
        List<Member> sources =
                shared.members().stream()
                        .filter(each -> request.sources().contains(each.number()))
                        .toList();
        long watermarkMillis = gcWatermarkMillis.getAsLong();
        return page(
                store,
                request.start(),
                request.maxBytes(),
                entry ->
                        !(entry.isTombstone() && entry.timestamp().wallMillis() < watermarkMillis)
                                && shared.isSent(entry, request.gainsOnly(), sources));
    }

    /** See {@code PeerRequestHandler.streamRecords}. */
    ReplicaAnswer streamRecords(ReplicaRequest.StreamRecords request) {
        CommonOwnership shared = sharedWith(request.member());
        if (shared == null) {
            return refused();
        }
        return page(
                records,
                request.start(),
                request.maxBytes(),
                record -> {
                    byte[] key = RecordStore.keyToBeCopied(record);
                    return key != null
                            && (request.gainsOnly()
                                    ? shared.isGained(key, record.from())
                                    : shared.holds(key, record.from()));
                });
    }

    /** The entries from a key on that are sent; ends early like {@link RangeReader.Walk}. */
    private ReplicaAnswer page(
            KeyValueStore from, byte[] start, int wantedBytes, Predicate<Entry> isSent) {
        int maxBytes = Math.min(wantedBytes, LocalReplica.MAX_PAGE_BYTES);
        long startedNanos = ticker.nanos();
        List<Entry> sent = new ArrayList<>();
        long bytes = 0;
        long read = 0;
        int entries = 0;
        try (EntryCursor cursor = from.scan(start, null)) {
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
                long size = entry.dataBytes() + OVERHEAD_BYTES;
                entries++;
                read += size;
                if (!isSent.test(entry)) {
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
