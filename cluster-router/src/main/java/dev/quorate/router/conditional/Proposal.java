package dev.quorate.router.conditional;

import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The proposed successor of a version.
 *
 * @param origin identifies the client's write; {@link Timestamp#ZERO} for no successor
 * @param isNamed whether the write's condition names the version; otherwise its {@link Fate} is
 *     stored
 * @param base the version to succeed: that of an entry or, without an entry, the GC watermark as a
 *     version
 * @param isBaseDroppable whether replicas may drop the base: it is nothing, a tombstone, or a value
 *     that expires
 * @param isInLead whether it was proposed without asking a majority for the entry: one replica's
 *     acceptance does not show that the base was current then
 * @param result the version of the new value; null for no successor
 * @param entry the new value; null for no successor, or if the base was superseded, since no client
 *     will see the value then
 * @param digest the digest of the client's request, the same in a retry; 0 if its version has it
 */
public record Proposal(
        Timestamp origin,
        boolean isNamed,
        Timestamp base,
        boolean isBaseDroppable,
        boolean isInLead,
        @Nullable Timestamp result,
        @Nullable Current entry,
        long digest) {

    /** No write succeeds the version, now or later. */
    public static final Proposal NOBODY =
            new Proposal(Timestamp.ZERO, true, Timestamp.ZERO, false, false, null, null, 0);

    /**
     * @param current the key's entry
     * @param base its version, or that of the GC watermark if it is nothing
     */
    static Proposal of(
            ConditionalRequest request,
            Current current,
            Timestamp base,
            boolean isInLead,
            Current entry) {
        boolean isDroppable = current.value() == null || current.expiresAtMillis() != Entry.NEVER;
        return new Proposal(
                request.origin(),
                request.named() != null,
                base,
                isDroppable,
                isInLead,
                entry.version(),
                entry,
                request.digest());
    }

    /**
     * Whether it may become the next entry after {@code current}. A base that one replica has
     * dropped may exist on another: no entry, and a tombstone or expired value from before the
     * base's watermark, are the same base.
     */
    public boolean follows(Current current) {
        if (result == null) {
            return false;
        }
        if (current.version().equals(base)) {
            return true;
        }
        return isBaseDroppable
                && (current.isNothing()
                        || (isBeforeBase(current.version())
                                && current.asOf(result.wallMillis()).value() == null));
    }

    /**
     * Whether its write may be denied while it is undecided: its condition names no version, or one
     * that replicas may drop, so that no decree ends it. Replicas store its {@link Fate}.
     */
    boolean hasFate() {
        return !isNamed || isBaseDroppable;
    }

    /**
     * Whether replicas store its {@link Fate}. They also do if the client may send it again with
     * another condition: such a retry does not ask for the decree of the version named before.
     */
    boolean keepsFate() {
        return !origin.equals(Timestamp.ZERO) && (hasFate() || digest != 0);
    }

    /**
     * Whether it is to succeed the entry that another proposal makes, or a later entry. If two
     * proposals follow one entry, and neither comes after the other, they succeed the same absence,
     * perhaps under two names, and belong to one decree.
     *
     * <p>A base without an entry is the watermark as a version. The successor of a tombstone has
     * the tombstone's root, so it is ordered before the watermark even if it is younger: there the
     * age counts.
     */
    boolean comesAfter(Proposal other) {
        Timestamp made = Objects.requireNonNull(other.result);
        return isBaseNothing()
                ? Long.compareUnsigned(made.madeAt(), base.madeAt()) <= 0
                : !made.isAfter(base);
    }

    /** Whether the base is the GC watermark. No member's number is 0, so no write has its form. */
    private boolean isBaseNothing() {
        return isBaseDroppable && base.node() == 0 && !base.hasStep();
    }

    private boolean isBeforeBase(Timestamp version) {
        return base.isAfter(version) && Long.compareUnsigned(version.madeAt(), base.madeAt()) < 0;
    }

    /** The same, after a majority was asked, and the base was current. */
    Proposal confirmed() {
        return isInLead
                ? new Proposal(origin, isNamed, base, isBaseDroppable, false, result, entry, digest)
                : this;
    }

    /** The same without the new value, which no client will see. */
    public Proposal withoutValue() {
        return entry == null
                ? this
                : new Proposal(
                        origin, isNamed, base, isBaseDroppable, isInLead, result, null, digest);
    }
}
