package dev.quorate.router.conditional;

import dev.quorate.storage.Timestamp;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A replica's answer to a coordinator. */
public sealed interface AcceptorAnswer {

    /**
     * Nothing under an earlier ballot will be accepted.
     *
     * @param entry the replica's
     * @param watermarkMillis the replica's GC watermark: below it tombstones may be gone
     * @param pending what it has accepted to succeed this entry; null for nothing
     * @param asked what it has accepted to succeed the versions that were asked about
     * @param fate of the write that was asked about; null if nothing is known of it
     */
    record Promised(
            Current entry,
            long watermarkMillis,
            @Nullable Accepted pending,
            Map<Timestamp, Accepted> asked,
            @Nullable Fate fate)
            implements AcceptorAnswer {
        public Promised {
            asked = Map.copyOf(asked);
        }
    }

    /** Accepted, or closed, or stored. */
    enum Done implements AcceptorAnswer {
        DONE
    }

    /** A later ballot was promised to another coordinator. */
    record Outbid(Timestamp promised) implements AcceptorAnswer {}

    /** The entry is another one. */
    record Moved(Timestamp now) implements AcceptorAnswer {}

    /** It cannot answer. */
    enum Failed implements AcceptorAnswer {
        /** It may have done what it was asked. */
        FAILED,
        /** Nothing was sent to it: it has not done it, and will not. */
        NOT_ASKED
    }
}
