package dev.quorate.node.admin;

import dev.quorate.node.antientropy.PeerRepairStatus;
import dev.quorate.node.antientropy.RepairStatus;
import java.util.Locale;

/**
 * How repairs go, for people and for {@code ./quorate repair}. The first line is {@code round N}
 * and {@code running}, {@code agreed} or {@code not agreed}; each of the others begins with a
 * peer's name.
 */
final class RepairText {

    private static final double NANOS_PER_SECOND = 1e9;

    private RepairText() {}

    static String of(RepairStatus status) {
        StringBuilder text = new StringBuilder();
        String how = status.running() ? "running" : status.agreed() ? "agreed" : "not agreed";
        text.append("round ").append(status.round()).append(' ').append(how).append('\n');
        for (PeerRepairStatus peer : status.peers()) {
            text.append(line(peer)).append('\n');
        }
        return text.toString();
    }

    private static String line(PeerRepairStatus peer) {
        String phase = peer.phase().name().toLowerCase(Locale.ROOT);
        return switch (peer.phase()) {
            case NONE, WAITING -> peer.peer() + " " + phase;
            case RUNNING, AGREED, INCOMPLETE, FAILED ->
                    String.format(
                            Locale.ROOT,
                            "%s %s: %,d compared, %,d differed, %,d sent, %,d fetched, %,d bytes,"
                                    + " %.1f s%s",
                            peer.peer(),
                            phase,
                            peer.compared(),
                            peer.differing(),
                            peer.pushed(),
                            peer.pulled(),
                            peer.bytes(),
                            peer.nanos() / NANOS_PER_SECOND,
                            peer.detail().isEmpty() ? "" : "; " + peer.detail());
        };
    }
}
