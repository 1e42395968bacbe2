package dev.quorate.node.antientropy;

import dev.quorate.node.antientropy.RangeReader.Stretch;
import dev.quorate.node.antientropy.RangeReader.Summary;
import dev.quorate.router.topology.Member;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One walk over this node's store for comparisons with several members: a stretch is read once, and
 * summed for each of them. So a sum may be older than the question that it is for. That is sound: a
 * member with that sum has at least what this one had when the stretch was read. Not thread-safe.
 */
final class SharedWalk {

    /** About 4 GiB of a store: as far as one comparison may be behind another. */
    private static final int MAX_STRETCHES = 1_024;

    private final List<RangeReader> readers = new ArrayList<>();

    /** By their starts, for each reader that took part when they were read. */
    private final Map<ByteBuffer, Map<RangeReader, Stretch>> stretches =
            new LinkedHashMap<>() {
                @Override
                protected boolean removeEldestEntry(
                        Map.Entry<ByteBuffer, Map<RangeReader, Stretch>> eldest) {
                    return size() > MAX_STRETCHES;
                }
            };

    /** From now on stretches are summed for a reader, too. */
    void join(RangeReader reader) {
        readers.add(reader);
    }

    void leave(RangeReader reader) {
        readers.remove(reader);
    }

    /** The stretch from a key, summed for a reader that takes part. */
    Stretch stretch(RangeReader asking, byte[] start) {
        Map<RangeReader, Stretch> sums =
                stretches.computeIfAbsent(ByteBuffer.wrap(start), _ -> new LinkedHashMap<>());
        Stretch read = sums.remove(asking);
        return read == null ? read(asking, start, sums) : read;
    }

    private Stretch read(RangeReader asking, byte[] start, Map<RangeReader, Stretch> others) {
        Set<RangeReader> reading = new LinkedHashSet<>(readers);
        reading.add(asking);
        reading.removeIf(each -> !each.hasPlacementOf(asking));
        RangeReader[] all = reading.toArray(RangeReader[]::new);
        long[] sums = new long[all.length];
        int[] entries = new int[all.length];
        byte @Nullable [] end;
        try (RangeReader.Walk walk = asking.walk(start, null)) {
            Summary entry;
            while ((entry = walk.next()) != null) {
                long hash = asking.hash(entry);
                List<Member> owners = asking.owners(entry);
                for (int i = 0; i < all.length; i++) {
                    if (all[i].counts(entry, owners)) {
                        sums[i] += hash;
                        entries[i]++;
                    }
                }
            }
            end = walk.reached();
        }
        for (int i = 0; i < all.length; i++) {
            others.put(all[i], new Stretch(end, sums[i], entries[i]));
        }
        return Objects.requireNonNull(others.remove(asking), "it takes part");
    }
}
