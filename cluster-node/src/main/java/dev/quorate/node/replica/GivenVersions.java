package dev.quorate.node.replica;

import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import java.nio.ByteBuffer;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Writes under versions that clients gave, from the moment they are checked until the store is done
 * with them. Of two that differ under one version the second is refused: it might pass its check
 * before the first is visible.
 */
final class GivenVersions {

    private record Name(ByteBuffer key, Timestamp version) {}

    /** An entry, and how many writes of it are under way. */
    private record UnderWay(Entry entry, int count) {}

    private final ConcurrentHashMap<Name, UnderWay> writes = new ConcurrentHashMap<>();

    private static Name nameOf(Entry entry) {
        return new Name(ByteBuffer.wrap(entry.key()), entry.timestamp());
    }

    /** Lets a write in; false if one with other content is under way. */
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

    /** A write that was let in is over. */
    void leave(Entry entry) {
        writes.computeIfPresent(
                nameOf(entry),
                (name, before) ->
                        before.count() == 1
                                ? null
                                : new UnderWay(before.entry(), before.count() - 1));
    }
}
