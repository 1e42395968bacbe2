package dev.quorate.node.conditional;

import dev.quorate.storage.Timestamp;
import org.jspecify.annotations.Nullable;

/**
 * What is to succeed a version.
 *
 * @param origin names the client's write; {@link Timestamp#ZERO} if nobody is to succeed it
 * @param isNamed whether the write's condition names the version; otherwise its {@link Fate} is
 *     kept
 * @param isInLead whether it was proposed without asking a majority what the key has: one replica
 *     that accepted it does not show that the version was current then
 * @param result the version of the new value; null for nobody
 * @param entry the new value; null for nobody, and where the version was superseded: nobody will
 *     see the value then
 */
public record Proposal(
        Timestamp origin,
        boolean isNamed,
        boolean isInLead,
        @Nullable Timestamp result,
        @Nullable Current entry) {

    /** No write succeeds the version, now or later. */
    public static final Proposal NOBODY = new Proposal(Timestamp.ZERO, true, false, null, null);

    static Proposal of(Request request, boolean isInLead, Current entry) {
        return new Proposal(
                request.origin(), request.named() != null, isInLead, entry.version(), entry);
    }

    /** The same, after a majority was asked, and the version was current. */
    Proposal confirmed() {
        return isInLead ? new Proposal(origin, isNamed, false, result, entry) : this;
    }

    /** The same without the new value: nobody will see it. */
    public Proposal withoutValue() {
        return entry == null ? this : new Proposal(origin, isNamed, isInLead, result, null);
    }
}
