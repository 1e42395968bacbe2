package dev.quorate.node.admin;

import dev.quorate.router.quorum.QuorumSpec;
import org.jspecify.annotations.Nullable;

/**
 * The label {@code replicas} of metrics. Clients choose {@code ack/from}, so only the quorums of up
 * to three replicas have values of their own: no client can make more of them.
 */
final class ReplicasLabel {

    /** Up to so many replicas each quorum has a value. */
    private static final int MAX_FROM = 3;

    /** Of operations that ask no replicas, or whose replicas are not known. */
    private static final int NONE = 0;

    private static final int OTHER = 1;

    private static final String[] TEXTS = {
        "none", "other", "1/1", "1/2", "2/2", "1/3", "2/3", "3/3"
    };

    /** How many values there are. */
    static final int COUNT = TEXTS.length;

    private ReplicasLabel() {}

    static int indexOf(@Nullable QuorumSpec replicas) {
        if (replicas == null) {
            return NONE;
        }
        int from = replicas.from();
        return from > MAX_FROM ? OTHER : OTHER + from * (from - 1) / 2 + replicas.ack();
    }

    static String text(int index) {
        return TEXTS[index];
    }
}
