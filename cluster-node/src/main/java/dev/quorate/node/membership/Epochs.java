package dev.quorate.node.membership;

import dev.quorate.node.directory.DataDirectory;
import dev.quorate.node.directory.MemberRecord;
import dev.quorate.node.directory.TopologyRecord;
import dev.quorate.node.membership.Proposer.Purpose;
import dev.quorate.router.clock.HybridClock;
import dev.quorate.router.decree.Decree;
import dev.quorate.router.message.AnswerCallback;
import dev.quorate.router.message.ReplicaRequest;
import dev.quorate.router.ring.LivePlacement;
import dev.quorate.router.runtime.NodeRuntime;
import dev.quorate.router.runtime.Scheduler;
import dev.quorate.router.topology.LiveTopology;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Agrees with the other members on the next topology, and installs what was chosen (decision 0051).
 * Each epoch's successor is one decree, in which the members of the epoch are the acceptors.
 *
 * <p><i>Founding</i> is the decree of epoch 0, which chooses the cluster id. An acceptor that lost
 * its disk may have accepted an id before, so all members must answer, unless an operator has said
 * that the cluster is new. A member that comes later, or lost its disk, learns the topology from a
 * peer that refuses its frames.
 *
 * <p><i>A later epoch</i> is proposed for an operator, for a member whose option has another
 * address of it, to complete a change of members, or to finish what another member has begun. A
 * majority chooses, of the members before the change that is in progress. A member that may have
 * forgotten its promises takes no part until it has asked all others twice: by then none of them
 * can accept a ballot that it may have promised or accepted.
 *
 * <p>Proposals are repeated in turns. The first member by name proposes at once, and the others
 * after it, so that they seldom outbid each other.
 *
 * <p>All state changes in tasks of the directory's serial executor.
 */
public final class Epochs implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Epochs.class);

    private static final Duration FIRST_AGAIN = Duration.ofMillis(10);
    private static final Duration LAST_AGAIN = Duration.ofSeconds(1);

    /** Turns, of growing length, for which a member leaves the proposal to those before it. */
    private static final int TURNS_OF_THE_FIRST = 4;

    /** Turns for which a majority waits for the other members: about a second. */
    private static final int TURNS_FOR_ALL = 7;

    /** The result of a change that an operator has asked for. */
    public sealed interface Result {

        /** The topology was chosen, and is in use. */
        record Chosen(Topology topology) implements Result {}

        /** Another topology was chosen, or another change is in progress. Nothing was done. */
        record Lost(Topology current) implements Result {}

        /**
         * Members have not yet deleted the entries of keys that they lost in the change before.
         * Nothing was done.
         */
        record Early(List<String> members) implements Result {}

        /** Too few members have answered in time. The topology may still be chosen. */
        record Undecided() implements Result {}
    }

    private record Change(Topology topology, long deadlineNanos, Consumer<Result> whenDecided) {}

    private final DataDirectory data;
    private final LiveTopology topology;
    private final Topology option;
    private final Member self;
    private final boolean byMajority;
    private final NodeRuntime runtime;
    private final Executor directory;

    private final TopologyAcceptor acceptor;
    private final Proposer proposer;

    private @Nullable Announcements announcements;
    private @Nullable Membership membership;
    private @Nullable LivePlacement placement;
    private @Nullable Change change;
    private int turns;
    private int mostUp;
    private volatile boolean closed;
    private Scheduler.Cancellable next = () -> {};

    /**
     * @param topology the one in the directory
     * @param option the one of the options
     * @param byMajority whether a majority of empty members may found the cluster, because the
     *     operator has said that it is new
     * @throws IOException if a majority may choose, and the directory has been a member
     */
    public Epochs(
            DataDirectory data,
            LiveTopology topology,
            Topology option,
            Member self,
            boolean byMajority,
            HybridClock clock,
            NodeRuntime runtime)
            throws IOException {
        if (byMajority && data.standing() != MemberRecord.Standing.NEW) {
            throw new IOException(
                    data.path()
                            + ": This directory has been a member of a cluster, so it cannot found"
                            + " one: start the node without --founding=new.");
        }
        this.data = data;
        this.topology = topology;
        this.option = option;
        this.self = self;
        this.byMajority = byMajority;
        this.runtime = runtime;
        this.directory = runtime.serial();
        this.acceptor = new TopologyAcceptor(data, topology, self, byMajority);
        this.proposer =
                new Proposer(
                        self,
                        clock,
                        runtime.ticker(),
                        directory,
                        acceptor,
                        this::chosen,
                        this::recalled);
    }

    /** Runs all tasks that use the data directory, one at a time. */
    public Executor directory() {
        return directory;
    }

    /**
     * The next topology, if the option names another address of this member now than when the
     * topology last agreed with it; otherwise null. A member speaks only for itself: a wrong
     * address of another member in an option must not become that of the cluster.
     */
    private @Nullable Topology ofOption(Topology current) {
        boolean asks =
                current.epoch() > 0
                        && !data.topology().option().equals(option.canonicalText())
                        && !current.hasAt(self);
        boolean isFree =
                current.members().stream().noneMatch(each -> each.url().equals(self.url()));
        return asks && isFree
                ? ChangeRule.withAddresses(current, Map.of(self.name(), self.url()))
                : null;
    }

    /** Starts: from now on peers can be asked. */
    public void start(Announcements others, Membership own, LivePlacement owners) {
        boolean isFounder = data.topology().part() == TopologyRecord.Part.FOUNDER;
        if (byMajority && topology.current().epoch() <= (isFounder ? 1 : 0)) {
            own.others().needNew(topology.current().size() / 2 + 1);
            LOG.warn(
                    "--founding=new: a majority of members with empty directories may found a cluster now, whatever the others have");
        }
        topology.whenTold(told -> directory.execute(() -> install(told)));
        own.others()
                .whenHeard(
                        (member, state) -> {
                            int epoch = topology.current().epoch();
                            if (epoch == 0 || state.epoch() < epoch) {
                                directory.execute(() -> heard(member, state.epoch()));
                            }
                        });
        directory.execute(
                () -> {
                    announcements = others;
                    membership = own;
                    placement = owners;
                    acceptor.start(own);
                    proposer.start(others::others);
                    noteOption();
                    turn();
                });
    }

    /**
     * Records an option that agrees with the topology: it asks for nothing after a later change.
     */
    private void noteOption() {
        TopologyRecord record = data.topology();
        String text = option.canonicalText();
        if (topology.current().epoch() > 0
                && topology.current().hasAt(self)
                && !record.option().equals(text)) {
            try {
                data.record(record.agreeingWith(text));
            } catch (IOException e) {
                LOG.error("Cannot record the option topology: {}", e.toString());
            }
        }
    }

    /** Another member has announced its state. */
    private void heard(int member, int epoch) {
        Topology current = topology.current();
        if (current.epoch() > 0 && epoch > 0 && epoch < current.epoch()) {
            proposer.tell(member, current);
        }
        int up = proposer.up(current);
        if (up > mostUp) {
            mostUp = up;
            restart();
        }
    }

    // ---- Acceptor.

    /** Answers as an acceptor, once its state is durable. */
    public void answer(ReplicaRequest.Propose request, AnswerCallback callback) {
        directory.execute(
                () -> {
                    callback.answered(acceptor.accept(request));
                    if (!request.value().isEmpty()) {
                        restart(); // the proposer may know in a moment whether it is chosen
                    }
                });
    }

    // ---- Proposer.

    /**
     * Proposes a topology for an operator.
     *
     * @param next the successor of the topology that the operator has seen
     * @param patience how long to try
     */
    public void change(Topology next, Duration patience, Consumer<Result> whenDecided) {
        directory.execute(
                () -> {
                    Topology current = topology.current();
                    if (change != null || ChangeRule.refusal(current, next) != null) {
                        whenDecided.accept(new Result.Lost(current));
                        return;
                    }
                    List<String> unclean =
                            membership == null ? List.of() : membership.unclean(next);
                    if (next.isJoint() && !current.isJoint() && !unclean.isEmpty()) {
                        whenDecided.accept(new Result.Early(unclean));
                        return;
                    }
                    long deadlineNanos = runtime.ticker().nanos() + patience.toNanos();
                    change = new Change(next, deadlineNanos, whenDecided);
                    restart();
                });
    }

    private void endChange(Change ended, Result result) {
        change = null;
        ended.whenDecided.accept(result);
    }

    private void restart() {
        turns = 0;
        next.cancel();
        await(FIRST_AGAIN);
    }

    private void await(Duration time) {
        if (!closed && announcements != null) {
            next = runtime.scheduler().after(time, () -> directory.execute(this::turn));
        }
    }

    private void turn() {
        if (closed || announcements == null) {
            return;
        }
        if (change != null && runtime.ticker().nanos() - change.deadlineNanos >= 0) {
            endChange(change, new Result.Undecided());
        }
        Topology current = topology.current();
        boolean hasMore = current.epoch() == 0 ? found(current) : proceed(current);
        if (!hasMore) {
            return;
        }
        Duration again = FIRST_AGAIN.multipliedBy(1L << Math.min(turns, TURNS_FOR_ALL));
        turns++;
        long jitter = runtime.random().nextLong(again.toNanos() / 2);
        await((again.compareTo(LAST_AGAIN) < 0 ? again : LAST_AGAIN).plusNanos(jitter));
    }

    private boolean found(Topology current) {
        int members = current.size();
        int up = proposer.up(current);
        boolean enough =
                up == members || (byMajority && up > members / 2 && turns >= TURNS_FOR_ALL);
        if (enough && isTurn(current)) {
            UUID own = new UUID(runtime.random().nextLong(), runtime.random().nextLong());
            propose(current, own.toString(), up == members ? members : members / 2 + 1);
        } else if (announcements != null) {
            announcements.announceToAll();
        }
        return true;
    }

    private boolean isTurn(Topology current) {
        int rank = current.members().stream().map(Member::name).toList().indexOf(self.name());
        return rank == 0 || turns >= TURNS_OF_THE_FIRST + rank;
    }

    /** Works on the decree of the next topology; returns whether there is anything to do. */
    private boolean proceed(Topology current) {
        Topology acceptors = current.before();
        int majority = acceptors.size() / 2 + 1;
        int up = proposer.up(acceptors);
        if (!acceptor.decides(current)) {
            return change != null;
        }
        if (!acceptor.isComplete(current)) {
            if (up == acceptors.size()) {
                proposer.begin(Purpose.RECALL, current.epoch(), "", acceptors.size() - 1);
            }
            return true;
        }
        String accepted = data.topology().next().value();
        Topology asked = change == null ? ofOption(current) : change.topology;
        Topology completed = completion(current);
        boolean hasMore = asked != null || current.isJoint() || !accepted.isEmpty();
        if (up < majority) {
            return hasMore; // a majority is down, and each promise costs the others an fsync
        }
        if (asked != null) {
            propose(current, asked.canonicalText(), majority);
        } else if (isTurn(current) && turns > 0) {
            if (!accepted.isEmpty()) {
                propose(current, accepted, majority);
            } else if (completed != null) {
                propose(current, completed.canonicalText(), majority);
            }
        }
        return hasMore;
    }

    /** The topology that ends the change in progress, if that is possible now. */
    private @Nullable Topology completion(Topology current) {
        Membership own = membership;
        LivePlacement owners = placement;
        return own == null || owners == null
                ? null
                : ChangeRule.completion(
                        current, owners.current().gains().keySet(), own::provedEpoch);
    }

    private void propose(Topology current, String value, int needed) {
        proposer.begin(Purpose.CHOOSE, current.epoch(), value, needed);
    }

    private void chosen(String value) {
        Topology chosen = TopologyAcceptor.successor(topology.current(), value);
        install(chosen);
        proposer.tellAll(chosen);
    }

    /** All other members have promised the ballot: earlier ones choose nothing any more. */
    private void recalled(Decree state) {
        try {
            data.record(data.topology().with(state).as(TopologyRecord.Part.VOTER));
            restart();
        } catch (IOException e) {
            LOG.error("Cannot record the state of a decree: {}", e.toString());
        }
    }

    // ---- Installation.

    /** Answers once this member uses the topology, or a later one. */
    public void told(ReplicaRequest.Tell request, Consumer<Boolean> whenInstalled) {
        directory.execute(
                () -> {
                    try {
                        Topology told = Topology.parseCanonicalText(request.topology());
                        install(told);
                        Topology current = topology.current();
                        whenInstalled.accept(current.equals(told) || current.succeeds(told));
                    } catch (IllegalArgumentException e) {
                        LOG.warn("A member told a topology that is none: {}", e.getMessage());
                        whenInstalled.accept(false);
                    }
                });
    }

    /** Records and uses a chosen topology, unless a later one is in use. */
    private void install(Topology chosen) {
        Topology before = topology.current();
        if (closed || membership == null || !chosen.succeeds(before)) {
            return;
        }
        Member was = before.member(self.name());
        Member is = chosen.member(self.name());
        if (is == null || (before.epoch() > 0 && (was == null || !was.isSame(is)))) {
            if (chosen.epoch() - before.epoch() >= Topology.EPOCHS_OF_THE_LOST) {
                LOG.error("Members have gone on without this one, by force: {}", chosen);
            } else {
                membership.leave(before.epoch() > 0); // there may be another one of that name
            }
            return;
        }
        TopologyRecord.Part part = partAfter(before, chosen);
        try {
            TopologyRecord next = data.topology().installing(chosen, optionAfter(chosen), part);
            boolean isEmpty = data.standing() == MemberRecord.Standing.NEW;
            data.record(isEmpty ? next.cleanUpTo(chosen.shrunk()) : next);
        } catch (IOException e) {
            LOG.error("Cannot record the topology of epoch {}: {}", chosen.epoch(), e.toString());
            return;
        }
        LOG.info("This member uses the topology of epoch {}: {}", chosen.epoch(), chosen);
        if (part == TopologyRecord.Part.LEARNER) {
            membership.others().needNew(chosen.size()); // the cluster was there before
        }
        topology.install(chosen);
        Change asked = change;
        if (asked != null) {
            endChange(
                    asked,
                    asked.topology.equals(chosen)
                            ? new Result.Chosen(chosen)
                            : new Result.Lost(chosen));
        }
        restart();
    }

    private TopologyRecord.Part partAfter(Topology before, Topology chosen) {
        if (before.epoch() > 0) {
            return hasJoined(before, chosen) ? TopologyRecord.Part.VOTER : data.topology().part();
        }
        String accepted = data.topology().next().value();
        return chosen.epoch() == 1 && accepted.equals(String.valueOf(chosen.cluster()))
                ? TopologyRecord.Part.FOUNDER
                : TopologyRecord.Part.LEARNER;
    }

    /**
     * Whether this member cannot have forgotten anything that it promised in the chosen epoch: it
     * votes in the joint epoch before, so a majority knows that it had no earlier life that voted
     * there; and the chosen epoch needed its proof in that epoch.
     */
    private boolean hasJoined(Topology before, Topology chosen) {
        Member was = before.member(self.name());
        return was != null
                && was.part() == Member.Part.JOINS
                && membership != null
                && membership.votes()
                && chosen.epoch() == before.epoch() + 1;
    }

    /**
     * The option that a topology agrees with: today's, unless it still asks for other addresses.
     */
    private String optionAfter(Topology chosen) {
        if (chosen.hasAt(self)) {
            return option.canonicalText();
        }
        return data.topology().topology().epoch() > 0 ? data.topology().option() : "";
    }

    @Override
    public void close() {
        closed = true;
        directory.execute(() -> next.cancel());
    }
}
