package dev.quorate.router.conditional;

import dev.quorate.router.quorum.Electorate;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The events of a conditional write, and the steps that follow, in words; n1 has the index 0. */
final class ConditionalTranscript {

    private final StringBuilder text = new StringBuilder();
    private final ConditionalRound round;
    private final Timestamp origin;
    private long watermarkMillis;

    /** Of a coordinator that owns no replica. */
    ConditionalTranscript(ConditionalRequest request) {
        this(request, Electorate.majority(3), 0);
    }

    /**
     * @param majority the owners, and a majority of each group of them
     * @param self which replica is the coordinator's own, from 1; 0 for none
     */
    ConditionalTranscript(ConditionalRequest request, Electorate majority, int self) {
        this.round = new ConditionalRound(request, majority, self - 1);
        this.origin = request.origin();
    }

    // ---- Values.

    static Timestamp at(int hybrid) {
        return new Timestamp(hybrid, 0);
    }

    static Timestamp version(int root) {
        return at(root);
    }

    static Timestamp version(int root, int step) {
        return at(root).withStep(step);
    }

    static Current value(Timestamp version, String value) {
        return new Current(version, value.getBytes(StandardCharsets.UTF_8), Entry.NEVER, 3, null);
    }

    static Proposal proposal(int origin, Current entry) {
        return new Proposal(
                at(origin), true, entry.version().root(), false, false, entry.version(), entry, 0);
    }

    // ---- Events.

    /** The GC watermark of those who promise from now on. */
    ConditionalTranscript watermark(long millis) {
        watermarkMillis = millis;
        return this;
    }

    ConditionalTranscript begins(int ballot) {
        return add("begins with " + ballot, round.begin(at(ballot)));
    }

    ConditionalTranscript leads(int ballot, Current current) {
        return add(
                "leads with " + ballot + " and " + shown(current),
                round.beginInLead(new Lead(at(ballot), current)));
    }

    /** Others own the key from the next ballot on. */
    ConditionalTranscript elects(Electorate majority) {
        round.elect(majority, ConditionalRound.NO_OWNER);
        text.append("elects " + majority + "\n");
        return this;
    }

    @Nullable Lead lead() {
        return round.lead();
    }

    ConditionalTranscript promises(int replica, Current entry) {
        return promises(replica, entry, null);
    }

    ConditionalTranscript promises(int replica, Current entry, @Nullable Accepted pending) {
        return promises(replica, entry, pending, Map.of(), null);
    }

    ConditionalTranscript promises(
            int replica,
            Current entry,
            @Nullable Accepted pending,
            Map<Timestamp, Accepted> asked,
            @Nullable Fate fate) {
        String more =
                (pending == null ? "" : ", accepted " + shown(pending.proposal()))
                        + asked.entrySet().stream()
                                .map(
                                        e ->
                                                ", accepted after "
                                                        + shown(e.getKey())
                                                        + " "
                                                        + shown(e.getValue().proposal()))
                                .collect(Collectors.joining())
                        + (fate == null ? "" : ", " + shown(fate));
        return answers(
                replica,
                "promises, has " + shown(entry) + more,
                new AcceptorAnswer.Promised(entry, watermarkMillis, pending, asked, fate));
    }

    ConditionalTranscript does(int replica) {
        return answers(replica, "does so", AcceptorAnswer.Done.DONE);
    }

    ConditionalTranscript isOutbid(int replica, int promised) {
        return answers(
                replica, "has promised " + promised, new AcceptorAnswer.Outbid(at(promised)));
    }

    ConditionalTranscript hasMovedTo(int replica, Timestamp version) {
        return answers(replica, "has " + shown(version), new AcceptorAnswer.Moved(version));
    }

    ConditionalTranscript fails(int replica) {
        return answers(replica, "fails", AcceptorAnswer.Failed.FAILED);
    }

    ConditionalTranscript isNotAsked(int replica) {
        return answers(replica, "is not asked", AcceptorAnswer.Failed.NOT_ASKED);
    }

    /** The coordinator's own replica, n1, does not answer. */
    ConditionalTranscript isLate() {
        return add("n1 is late", round.onLocalTimeout());
    }

    ConditionalTranscript stamps(int hybrid) {
        return add("the clock gives " + hybrid, round.stamped(at(hybrid)));
    }

    private ConditionalTranscript answers(int replica, String what, AcceptorAnswer answer) {
        return add("n" + replica + " " + what, round.answered(replica - 1, answer));
    }

    private ConditionalTranscript add(String event, ConditionalStep step) {
        text.append(event).append('\n');
        if (!(step instanceof ConditionalStep.Wait)) {
            text.append("    ").append(shown(step)).append('\n');
        }
        return this;
    }

    // ---- Words.

    private String shown(ConditionalStep step) {
        return switch (step) {
            case ConditionalStep.Wait wait -> "wait";
            case ConditionalStep.Ask(Question question) -> shown(question);
            case ConditionalStep.Stamp stamp -> "stamp after " + stamp.after();
            case ConditionalStep.Store store -> "store " + shown(store.entry());
            case ConditionalStep.Accept accept ->
                    switch (accept.owners()) {
                                case ALL -> "";
                                case SELF -> "itself ";
                                case OTHERS -> "others ";
                            }
                            + (accept.decides() ? "decide " : "accept ")
                            + accept.ballot().hybrid()
                            + " after "
                            + shown(accept.proposal().base())
                            + " "
                            + shown(accept.proposal());
            case ConditionalStep.Retry retry -> "retry after " + retry.after().hybrid();
            case ConditionalStep.Answer answer ->
                    shown(answer.verdict())
                            + (answer.chosen() == null
                                    ? ""
                                    : ", then store " + shown(answer.chosen()));
        };
    }

    private String shown(Question question) {
        return switch (question) {
            case Question.Prepare prepare ->
                    "prepare "
                            + prepare.ballot().hybrid()
                            + prepare.asked().stream()
                                    .map(version -> " about " + shown(version))
                                    .sorted()
                                    .collect(Collectors.joining())
                            + (prepare.origin().equals(origin)
                                    ? ""
                                    : " about the fate of " + prepare.origin().hybrid());
            case Question.Close close ->
                    "close "
                            + close.ballot().hybrid()
                            + " after "
                            + shown(close.base())
                            + " "
                            + shown(close.proposal());
            case Question.Deny deny -> "deny " + deny.ballot().hybrid();
            case Question.Accept accept -> throw new AssertionError(accept);
        };
    }

    private static String shown(Verdict verdict) {
        return switch (verdict) {
            case Verdict.Written(Timestamp version) -> "written " + shown(version);
            case Verdict.Unmet(Current instead) -> "unmet: " + shown(instead);
            case Verdict.Refused.DENIED -> "denied";
            case Verdict.Refused.TAKEN -> "taken";
            case Verdict.Refused.TOO_OLD -> "too old";
            case Verdict.Undecided undecided -> "undecided";
        };
    }

    private static String shown(Fate fate) {
        Timestamp base = fate.base();
        return base == null ? "was denied" : "last proposed after " + shown(base);
    }

    private static String shown(Proposal proposal) {
        if (proposal.origin().equals(Timestamp.ZERO)) {
            return "nobody";
        }
        Current entry = proposal.entry();
        return "of "
                + proposal.origin().hybrid()
                + (entry == null ? " without a value" : ": " + shown(entry));
    }

    private static String shown(Current entry) {
        byte[] value = entry.value();
        return shown(entry.version())
                + (value == null ? "" : " \"" + new String(value, StandardCharsets.UTF_8) + "\"");
    }

    private static String shown(Timestamp version) {
        return version.equals(Timestamp.ZERO)
                ? "nothing"
                : "v" + version.hybrid() + (version.step() == 0 ? "" : "." + version.step());
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
