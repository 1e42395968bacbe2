package dev.quorate.node.console;

import static java.util.stream.Collectors.joining;

import com.google.common.collect.Maps;
import dev.quorate.node.admin.NodeView;
import dev.quorate.node.admin.ReadinessCheck;
import dev.quorate.node.antientropy.PeerRepairStatus;
import dev.quorate.node.handoff.HandoffStatistics;
import dev.quorate.node.json.JsonWriter;
import dev.quorate.router.health.PeerHealth;
import dev.quorate.router.message.MemberState;
import dev.quorate.router.message.MemberState.PeerView;
import dev.quorate.router.ring.Placement;
import dev.quorate.router.ring.Ring;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import dev.quorate.storage.Figures;
import dev.quorate.storage.Figures.Figure;
import java.math.BigDecimal;
import java.math.MathContext;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** The JSON that the console's page reads. */
final class ConsoleJson {

    /** Number of places at which the ring is shown; it has thousands of points. */
    private static final int RING_PLACES = 720;

    private static final int CHARS = 4_096;
    private static final MathContext DIGITS = new MathContext(4);

    private ConsoleJson() {}

    /** The ring, and the samples of each period. */
    static String contents(NodeView node, List<RateHistory> histories) {
        Placement placement = node.placement().get();
        Topology topology = placement.topology();
        StringBuilder json = new StringBuilder(CHARS);
        json.append("{\"node\":").append(quoted(node.self().name()));
        json.append(",\"version\":").append(quoted(node.version()));
        json.append(",\"epoch\":").append(topology.epoch());
        json.append(",\"replication\":").append(topology.replicationFactor());
        json.append(",\"virtualNodes\":").append(topology.virtualNodes());
        json.append(",\"last\":").append(node.events().last());
        json.append(",\"ring\":").append(owners(placement));
        json.append(",\"histories\":[");
        json.append(histories.stream().map(ConsoleJson::history).collect(joining(",")));
        return json.append("]}\n").toString();
    }

    private static String history(RateHistory history) {
        StringBuilder json = new StringBuilder(CHARS);
        json.append("{\"period\":").append(history.period().toMillis());
        json.append(",\"moments\":").append(numbers(history.moments()));
        json.append(",\"series\":{");
        String comma = "";
        for (Map.Entry<String, float[]> series : history.series().entrySet()) {
            json.append(comma).append(quoted(series.getKey())).append(':');
            json.append(numbers(series.getValue()));
            comma = ",";
        }
        return json.append("}}").toString();
    }

    /** The owner of the token at each place, clockwise, as an index of all members. */
    private static String owners(Placement placement) {
        Ring ring = placement.before();
        int[] indexes =
                ring.topology().members().stream()
                        .mapToInt(placement.topology().members()::indexOf)
                        .toArray();
        long step = Long.divideUnsigned(-1, RING_PLACES);
        return numbers(
                LongStream.range(0, RING_PLACES)
                        .map(i -> indexes[ring.ownerIndex(i * step)])
                        .toArray());
    }

    /** A sample, in the order of the names. */
    static String sample(Duration period, long millis, float[] values) {
        return "{\"period\":%d,\"moment\":%d,\"values\":%s}"
                .formatted(period.toMillis(), millis, numbers(values));
    }

    private static String numbers(long[] values) {
        return Arrays.toString(values).replace(" ", "");
    }

    /** Numbers with four digits; null for a missing value. */
    private static String numbers(float[] values) {
        StringBuilder json = new StringBuilder().append('[');
        for (int i = 0; i < values.length; i++) {
            json.append(i == 0 ? "" : ",");
            float value = values[i];
            if (!Float.isFinite(value)) {
                json.append("null");
            } else if (value == Math.rint(value) && Math.abs(value) < 1e6) {
                json.append((long) value);
            } else {
                json.append(new BigDecimal(value).round(DIGITS));
            }
        }
        return json.append(']').toString();
    }

    private static String quoted(String text) {
        return new JsonWriter(text.length() + 2).value(text).toString();
    }

    static String state(NodeView node, long millis) {
        JsonWriter json =
                new JsonWriter(CHARS)
                        .beginObject()
                        .field("node", node.self().name())
                        .field("millis", millis)
                        .field("epoch", node.topology().epoch())
                        .field("joint", node.topology().isJoint())
                        .field("replication", node.topology().replicationFactor())
                        .field("drained", node.drain().isDrained())
                        .field("votes", node.membership().votes())
                        .field("progress", node.membership().progress());
        String why = node.whyNotServing();
        if (why != null) {
            json.field("whyNotServing", why);
        }
        json.beginArray("checks");
        for (ReadinessCheck check : node.checks()) {
            json.beginObject()
                    .field("name", check.name())
                    .field("holds", check.holds())
                    .field("detail", check.detail())
                    .endObject();
        }
        json.endArray();
        members(node, json);
        figures(node.figures(), json);
        return json.endObject().toString();
    }

    private static void members(NodeView node, JsonWriter json) {
        var peers = Maps.uniqueIndex(node.peers().get(), PeerHealth::member);
        var hints =
                Maps.uniqueIndex(node.hints().get().targets(), HandoffStatistics.OfTarget::member);
        var repairs = Maps.uniqueIndex(node.repairs().get().peers(), PeerRepairStatus::peer);
        Map<String, Double> shares = node.shares();
        json.beginArray("members");
        for (Member member : node.topology().members()) {
            json.beginObject()
                    .field("name", member.name())
                    .field("url", member.url().toString())
                    .field("self", node.isSelf(member))
                    .field("part", member.part().name().toLowerCase(Locale.ROOT))
                    .field(
                            "share",
                            String.format(
                                    Locale.ROOT,
                                    "%.1f",
                                    100 * shares.getOrDefault(member.name(), 0.0)));
            peer(
                    peers.get(member.name()),
                    hints.get(member.name()),
                    repairs.get(member.name()),
                    json);
            sees(node, member, json);
            announced(node.membership().stateOf(member.number()), json);
            json.endObject();
        }
        json.endArray();
    }

    /** What a member announced last; of one that is down, it is out of date. */
    private static void announced(@Nullable MemberState state, JsonWriter json) {
        if (state == null) {
            return;
        }
        MemberState.Load load = state.load();
        json.field("condition", state.condition().name().toLowerCase(Locale.ROOT))
                .field("votes", state.condition().votes())
                .field("storedBytes", state.bytes())
                .field("freeBytes", state.freeBytes())
                .field("gainedBytes", state.gainedBytes())
                .field("toGainBytes", state.toGainBytes())
                .field("version", load.version())
                .field("operations", load.operations())
                .field("getMicros", load.getMicros())
                .field("putMicros", load.putMicros());
    }

    /** A member's announced view of the others; for this node, its current view. */
    private static void sees(NodeView node, Member member, JsonWriter json) {
        json.beginObject("sees");
        if (node.isSelf(member)) {
            node.peers()
                    .get()
                    .forEach(
                            peer ->
                                    json.field(
                                            peer.member(),
                                            peer.standing().name().toLowerCase(Locale.ROOT)));
        } else {
            for (PeerView view : node.membership().others().peerViews(member.number())) {
                Member other = node.topology().member(view.member());
                if (other != null) {
                    json.field(other.name(), view.standing().name().toLowerCase(Locale.ROOT));
                }
            }
        }
        json.endObject();
    }

    private static void peer(
            @Nullable PeerHealth peer,
            HandoffStatistics.@Nullable OfTarget hints,
            @Nullable PeerRepairStatus repair,
            JsonWriter json) {
        if (peer != null) {
            json.field("standing", peer.standing().name().toLowerCase(Locale.ROOT))
                    .field("since", peer.sinceMillis())
                    .field("error", peer.lastError())
                    .field("clockAhead", peer.clockAheadMillis())
                    .field("outstanding", peer.outstandingOperations());
        }
        if (hints != null) {
            json.field("hintBytes", hints.pendingBytes()).field("hintsSent", hints.stored());
        }
        if (repair != null) {
            json.field("repair", repair.phase().name().toLowerCase(Locale.ROOT))
                    .field("repairDetail", repair.detail())
                    .field("repairAge", (long) repair.ageSeconds());
        }
    }

    private static void figures(Figures figures, JsonWriter json) {
        json.beginObject("figures");
        for (Figure each : figures.all()) {
            json.field(each.fullName(), (long) each.value().getAsDouble());
        }
        json.endObject();
    }
}
