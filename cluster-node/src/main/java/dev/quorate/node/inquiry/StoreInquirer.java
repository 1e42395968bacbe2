package dev.quorate.node.inquiry;

import dev.quorate.router.message.HeldKey;
import dev.quorate.router.message.HeldKey.Hint;
import dev.quorate.router.message.MemberState;
import dev.quorate.router.message.ReplicaAnswer;
import dev.quorate.router.replica.Horizon;
import dev.quorate.router.topology.LiveTopology;
import dev.quorate.router.topology.Member;
import dev.quorate.storage.Holdings;
import dev.quorate.storage.KeyValueStore;
import dev.quorate.storage.Timestamp;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reports this node's entries of a key: in its store, and as hints for others.
 *
 * @param kept the members with a hint of a key, and its timestamp; null if they cannot be read now.
 *     May wait for the disk
 * @param state this member's state
 * @param horizon the horizon below which tombstones are ignored
 */
public record StoreInquirer(
        KeyValueStore store,
        Function<byte[], @Nullable Map<String, Timestamp>> kept,
        LiveTopology topology,
        Supplier<MemberState> state,
        Horizon horizon)
        implements Function<byte[], ReplicaAnswer> {

    @Override
    public ReplicaAnswer apply(byte[] key) {
        Holdings holdings = store.holdings(key);
        Map<String, Timestamp> keptFor = kept.apply(key);
        List<Hint> hints = new ArrayList<>();
        for (Member member : topology.current().members()) {
            Timestamp timestamp = keptFor == null ? null : keptFor.get(member.name());
            if (timestamp != null) {
                hints.add(new Hint(member.number(), timestamp));
            }
        }
        boolean fits =
                holdings.entries().size() <= HeldKey.MOST
                        && holdings.unread().size() <= HeldKey.MOST
                        && hints.size() <= HeldKey.MOST;
        return new ReplicaAnswer.Inquired(
                new HeldKey(
                        state.get(),
                        horizon.gcWatermarkMillis(),
                        fits && keptFor != null,
                        first(holdings.entries()),
                        first(holdings.unread()),
                        first(hints)));
    }

    private static <T> List<T> first(List<T> all) {
        return all.subList(0, Math.min(all.size(), HeldKey.MOST));
    }
}
