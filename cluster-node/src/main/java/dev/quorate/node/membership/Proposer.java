package dev.quorate.node.membership;

import dev.quorate.router.clock.HybridClock;
import dev.quorate.router.decree.Decree;
import dev.quorate.router.decree.DecreeRound;
import dev.quorate.router.message.ReplicaAnswer;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import dev.quorate.router.message.ReplicaRequest;
import dev.quorate.router.runtime.Ticker;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import dev.quorate.storage.Timestamp;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the other members in ballots of a decree, one ballot at a time, and tells them what was
 * chosen. {@link DecreeRound} decides. All state changes in tasks of the directory's executor.
 */
final class Proposer {

    private static final Logger LOG = LoggerFactory.getLogger(Proposer.class);

    private static final Duration ANSWER_WITHIN = Duration.ofSeconds(1);

    /** The purpose of a ballot. */
    enum Purpose {
        /** To choose a value: this member answers as an acceptor, too. */
        CHOOSE,
        /** To follow the clocks of all others, including those that may have forgotten promises. */
        RECALL,
        /**
         * To learn what was accepted, above every earlier ballot, from half of all members. They
         * have forgotten nothing, so they include one such member of each majority.
         */
        RECALL_AGAIN
    }

    private final Member self;
    private final HybridClock clock;
    private final Ticker ticker;
    private final Executor directory;
    private final TopologyAcceptor acceptor;
    private final Consumer<String> chosen;
    private final Consumer<Decree> recalled;
    private Supplier<List<Announcements.OtherMember>> others = List::of;
    private @Nullable DecreeRound round;

    /**
     * @param chosen called with the value that was chosen
     * @param recalled called when enough have promised a ballot of {@link Purpose#RECALL_AGAIN},
     *     with this member's state in the decree from now on
     */
    Proposer(
            Member self,
            HybridClock clock,
            Ticker ticker,
            Executor directory,
            TopologyAcceptor acceptor,
            Consumer<String> chosen,
            Consumer<Decree> recalled) {
        this.self = self;
        this.clock = clock;
        this.ticker = ticker;
        this.directory = directory;
        this.acceptor = acceptor;
        this.chosen = chosen;
        this.recalled = recalled;
    }

    /** From now on the others can be asked. */
    void start(Supplier<List<Announcements.OtherMember>> members) {
        others = members;
    }

    /** The number of these members that are up, this one included. */
    int up(Topology members) {
        int up = 1;
        for (Announcements.OtherMember other : others.get()) {
            boolean isOne = members.member(other.replica().name()) != null;
            up += isOne && other.isUp().getAsBoolean() ? 1 : 0;
        }
        return up;
    }

    /** Begins a ballot, in place of the one before. */
    void begin(Purpose purpose, int epoch, String value, int needed) {
        Timestamp ballot = clock.next();
        if (ballot == null) {
            return; // the disk hangs
        }
        DecreeRound begun = new DecreeRound(ballot, value, needed);
        round = begun;
        ask(purpose, begun, new ReplicaRequest.Propose(epoch, ballot, "", needed));
    }

    private void ask(Purpose purpose, DecreeRound asking, ReplicaRequest.Propose request) {
        for (Announcements.OtherMember other : others.get()) {
            String name = other.replica().name();
            other.replica()
                    .ask(
                            request,
                            deadlineNanos(),
                            answer ->
                                    directory.execute(
                                            () ->
                                                    answered(
                                                            purpose, asking, name, request,
                                                            answer)));
        }
        if (purpose == Purpose.CHOOSE) {
            answered(purpose, asking, self.name(), request, acceptor.accept(request));
        }
    }

    private long deadlineNanos() {
        return ticker.nanos() + ANSWER_WITHIN.toNanos();
    }

    private void answered(
            Purpose purpose,
            DecreeRound asking,
            String name,
            ReplicaRequest.Propose request,
            ReplicaAnswer answer) {
        Decree state =
                switch (answer) {
                    case ReplicaAnswer.Accepting(Decree theirs) -> theirs;
                    case ReplicaAnswer.Failed failed
                            when purpose == Purpose.RECALL
                                    && failed.reason() == Failure.REBUILDING ->
                            Decree.NONE;
                    case ReplicaAnswer other -> null;
                };
        if (asking != round || request.epoch() != acceptor.epoch() || state == null) {
            return;
        }
        switch (asking.answered(name, !request.value().isEmpty(), state)) {
            case PROPOSE -> {
                switch (purpose) {
                    case CHOOSE ->
                            ask(
                                    purpose,
                                    asking,
                                    new ReplicaRequest.Propose(
                                            request.epoch(),
                                            request.ballot(),
                                            asking.value(),
                                            request.needed()));
                    // The clock has followed all others, so the next ballot is above any of theirs.
                    case RECALL ->
                            begin(
                                    Purpose.RECALL_AGAIN,
                                    request.epoch(),
                                    "",
                                    (request.needed() + 2) / 2); // half of all, rounded up
                    case RECALL_AGAIN ->
                            recalled.accept(
                                    new Decree(asking.ballot(), asking.newest(), asking.value()));
                }
            }
            case CHOSEN -> chosen.accept(asking.value());
            case WAIT, OUTBID -> {}
        }
    }

    /** Tells all other members what was chosen. */
    void tellAll(Topology chosen) {
        tell(member -> true, chosen);
    }

    /** Tells a member what was chosen. */
    void tell(int number, Topology chosen) {
        tell(member -> member.number() == number, chosen);
    }

    private void tell(Predicate<Member> whom, Topology chosen) {
        for (Announcements.OtherMember other : others.get()) {
            if (whom.test(other.replica().member())) {
                other.replica()
                        .ask(
                                new ReplicaRequest.Tell(chosen.canonicalText()),
                                deadlineNanos(),
                                answer -> LOG.debug("{}: {}", other.replica().name(), answer));
            }
        }
    }
}
