package dev.quorate.router.conditional;

import dev.quorate.storage.Timestamp;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A replica's answer to a coordinator. */
public sealed interface AcceptorAnswer {

    /**
     * The replica will accept nothing under an earlier ballot.
     *
     * @param entry the replica's entry
     * @param watermarkMillis the replica's GC watermark: below it tombstones may be gone
     * @param pending the proposal that it has accepted to succeed this entry; null for none
     * @param asked the proposals that it has accepted to succeed the versions that were asked about
     * @param fate the fate of the write that was asked about; null if none is known
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

    /** The replica's entry is not the one that the question requires, but has this version. */
    record Moved(Timestamp now) implements AcceptorAnswer {}

    enum Failed implements AcceptorAnswer {
        /** It may have done what it was asked. */
        FAILED,
        /** Nothing was sent to it: it has not done it, and will not. */
        NOT_ASKED
    }
}
