package dev.quorate.cli.client;

import dev.quorate.cli.client.ImportItem.Sending;
import dev.quorate.cli.client.ImportRun.Versions;
import org.jspecify.annotations.Nullable;

/**
 * What became of the entries of an import so far, and what follows from each answer. Thread-safe;
 * the lock guards all fields that change, and no output is written with it held.
 */
final class ImportTally {

    private static final int TOO_MANY = 429;
    private static final int SERVER_ERROR = 500;

    private final Versions versions;
    private final Progress progress;

    /** Of {@link Versions#ONE}; null before it is known. */
    private @Nullable String one;

    /** Replicas do not take this version and older ones; null as far as is known. */
    private @Nullable String tooOld;

    private long stored;
    private long kept;
    private long expired;
    private long others;

    ImportTally(Versions versions, Progress progress) {
        this.versions = versions;
        this.progress = progress;
    }

    /** What follows from an answer. */
    sealed interface Verdict {

        /** The entry needs nothing more. */
        record Done() implements Verdict {}

        /** It is sent again, on other terms. */
        record Otherwise(ImportItem item) implements Verdict {}

        /** It is sent again as it is. */
        record Again(String problem) implements Verdict {}

        /** It can never be stored. */
        record Refused(String problem) implements Verdict {}
    }

    private static final Verdict DONE = new Verdict.Done();

    /** How an entry is sent now; null if the version of all others is not known yet. */
    synchronized @Nullable ImportItem toSend(ImportItem item) {
        return switch (versions) {
            case OWN -> {
                boolean isKnownAsOld =
                        tooOld != null && item.entry().version().compareTo(tooOld) <= 0;
                yield isKnownAsOld ? item.sent(Sending.IF_ABSENT) : item;
            }
            case ONE ->
                    one == null
                            ? null
                            : new ImportItem(
                                    item.entry().with(one), item.line(), Sending.VERSIONED);
        };
    }

    synchronized void expired() {
        expired++;
    }

    /** Judges a node's answer to an entry. */
    Verdict judge(ImportItem item, ImportSender.Reply reply) {
        Verdict verdict = verdict(item, reply);
        if (verdict instanceof Verdict.Done) {
            progress.add(1, item.entry().value().length);
        }
        return verdict;
    }

    private synchronized Verdict verdict(ImportItem item, ImportSender.Reply reply) {
        switch (reply.status()) {
            case 201 -> {
                stored++;
                one = item.sending() == Sending.UNCONDITIONAL ? reply.version() : one;
            }
            case 412 -> kept++;
            case 409 -> {
                if (item.isVersioned() && reply.text().contains("too old")) {
                    return new Verdict.Otherwise(withoutVersion(item));
                }
                if (!reply.text().contains("Another write has this version")) {
                    return new Verdict.Refused(reply.text());
                }
                others++;
            }
            default -> {
                boolean isLater = reply.status() >= SERVER_ERROR || reply.status() == TOO_MANY;
                return isLater
                        ? new Verdict.Again(reply.text())
                        : new Verdict.Refused(reply.text());
            }
        }
        return DONE;
    }

    /** An entry whose version is too old. */
    private ImportItem withoutVersion(ImportItem item) {
        String version = item.entry().version();
        if (versions == Versions.ONE) {
            one = version.equals(one) ? null : one;
            return item.sent(Sending.UNCONDITIONAL);
        }
        tooOld = tooOld == null || tooOld.compareTo(version) < 0 ? version : tooOld;
        return item.sent(Sending.IF_ABSENT);
    }

    synchronized ImportRun.Result result(boolean isComplete) {
        return new ImportRun.Result(stored, kept, expired, others, isComplete);
    }
}
