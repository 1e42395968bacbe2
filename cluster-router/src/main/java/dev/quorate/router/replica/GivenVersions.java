package dev.quorate.router.replica;

import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import java.nio.ByteBuffer;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The writes in progress under versions given by clients, from their check until the store has
 * completed them. Of two writes with different content under one version, the second is refused: it
 * might pass its check before the first is visible.
 */
final class GivenVersions {

    private record Name(ByteBuffer key, Timestamp version) {}

    private record UnderWay(Entry entry, int count) {}

    private final ConcurrentHashMap<Name, UnderWay> writes = new ConcurrentHashMap<>();

    private static Name nameOf(Entry entry) {
        return new Name(ByteBuffer.wrap(entry.key()), entry.timestamp());
    }

    /** Admits a write; false if one with other content is in progress. */
    boolean enter(Entry entry, long wallMillis) {
        UnderWay now =
                writes.compute(
                        nameOf(entry),
                        (name, before) -> {
                            if (before == null) {
                                return new UnderWay(entry, 1);
                            }
                            return before.entry().hasSameContent(entry, wallMillis)
                                    ? new UnderWay(before.entry(), before.count() + 1)
                                    : before;
                        });
        return now.entry().hasSameContent(entry, wallMillis);
    }

    /** Ends an admitted write. */
    void leave(Entry entry) {
        writes.computeIfPresent(
                nameOf(entry),
                (name, before) ->
                        before.count() == 1
                                ? null
                                : new UnderWay(before.entry(), before.count() - 1));
    }
}
