package dev.quorate.node.membership;

import dev.quorate.router.clock.HybridClock;
import dev.quorate.router.decree.Decree;
import dev.quorate.router.decree.DecreeRound;
import dev.quorate.router.message.AnswerCallback;
import dev.quorate.router.message.ReplicaAnswer;
import dev.quorate.router.message.ReplicaAnswer.Failed;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import dev.quorate.router.message.ReplicaRequest;
import dev.quorate.router.runtime.NodeRuntime;
import dev.quorate.router.runtime.Scheduler;
import dev.quorate.router.topology.LiveTopology;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import dev.quorate.storage.Timestamp;
import java.io.IOException;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the id of the cluster, once in the life of a data directory. The members choose it by one
 * decree, and each answers as an acceptor. An acceptor that lost its disk may have accepted an id
 * before, so all members must answer, unless an operator has said that the cluster is new. A member
 * that comes later, or lost its disk, learns the id from a peer that refuses its frames.
 *
 * <p>Proposals wait until enough members are up. The first member by name proposes at once, and the
 * others after it, so that they seldom outbid each other.
 *
 * <p>All state changes in tasks of the directory's serial executor.
 */
public final class Founding implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Founding.class);

    private static final Duration FIRST_AGAIN = Duration.ofMillis(10);
    private static final Duration LAST_AGAIN = Duration.ofSeconds(1);
    private static final Duration ANSWER_WITHIN = Duration.ofSeconds(1);

    /** Turns, of growing length, for which a member leaves the proposal to those before it. */
    private static final int TURNS_OF_THE_FIRST = 4;

    /** Turns for which a majority waits for the other members: about a second. */
    private static final int TURNS_FOR_ALL = 7;

    private final DataDirectory data;
    private final LiveTopology topology;
    private final Member self;
    private final boolean byMajority;
    private final HybridClock clock;
    private final NodeRuntime runtime;
    private final Executor directory;

    private @Nullable Announcements announcements;
    private @Nullable Membership membership;
    private @Nullable DecreeRound round;
    private int turns;
    private int mostUp;
    private volatile boolean closed;
    private Scheduler.Cancellable next = () -> {};

    /**
     * @param byMajority whether a majority of empty members may choose, because the operator has
     *     said that the cluster is new
     * @throws IOException if a majority may choose, and the directory has been a member
     */
    public Founding(
            DataDirectory data,
            Topology first,
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
        UUID known = data.cluster();
        this.data = data;
        this.topology = new LiveTopology(known == null ? first : first.in(known));
        this.self = self;
        this.byMajority = byMajority;
        this.clock = clock;
        this.runtime = runtime;
        this.directory = runtime.serial();
    }

    /** The topology that this node uses, which gains the id when it is known. */
    public LiveTopology topology() {
        return topology;
    }

    /** Runs all tasks that use the data directory, one at a time. */
    public Executor directory() {
        return directory;
    }

    /** Starts: from now on peers can be asked. */
    public void start(Announcements others, Membership own) {
        UUID known = data.cluster();
        if (byMajority && (known == null || choseId(known))) {
            own.needNew(topology.current().size() / 2 + 1);
            LOG.warn(
                    "--founding=new: a majority of members with empty directories may found a cluster now, whatever the others have");
        }
        if (known != null) {
            own.joinCluster(known);
            return;
        }
        topology.whenTold(id -> directory.execute(() -> install(id)));
        own.whenHeard(
                (member, state) -> {
                    if (!isKnown()) {
                        directory.execute(this::hurry);
                    }
                });
        directory.execute(
                () -> {
                    announcements = others;
                    membership = own;
                    turn();
                });
    }

    /** Whether this directory has accepted the id, when nothing was stored under it yet. */
    private boolean choseId(UUID id) {
        return id.toString().equals(data.founding().value());
    }

    private boolean isKnown() {
        return topology.current().cluster() != null;
    }

    /** Answers as an acceptor, once its state is durable. */
    public void answer(ReplicaRequest.Propose request, AnswerCallback callback) {
        directory.execute(
                () -> {
                    callback.answered(accept(request));
                    if (!request.value().isEmpty()) {
                        restart(); // the proposer may know in a moment whether the id is chosen
                    }
                });
    }

    private ReplicaAnswer accept(ReplicaRequest.Propose request) {
        int members = topology.current().size();
        if (request.epoch() != 0 || isKnown()) {
            return new Failed(Failure.REFUSED, "it takes part in no such decree");
        }
        if (request.needed() <= members / 2 || (request.needed() < members && !byMajority)) {
            return new Failed(Failure.REFUSED, "it was not started with --founding=new");
        }
        Decree before = data.founding();
        try {
            Decree after =
                    request.value().isEmpty()
                            ? before.promise(request.ballot())
                            : before.accept(
                                    request.ballot(),
                                    Topology.parseCluster(request.value()).toString());
            if (!after.equals(before)) {
                data.record(after);
            }
            return new ReplicaAnswer.Accepting(after);
        } catch (IOException | IllegalArgumentException e) {
            return new Failed(Failure.FAILED, String.valueOf(e.getMessage()));
        }
    }

    /** Restarts the turns if another member has come up. */
    private void hurry() {
        int up = up();
        if (up > mostUp) {
            mostUp = up;
            restart();
        }
    }

    private void restart() {
        turns = 0;
        next.cancel();
        await(FIRST_AGAIN);
    }

    private void await(Duration time) {
        if (!closed && !isKnown() && announcements != null) {
            next = runtime.scheduler().after(time, () -> directory.execute(this::turn));
        }
    }

    private void turn() {
        if (closed || isKnown() || announcements == null) {
            return;
        }
        int members = topology.current().size();
        int up = up();
        boolean enough =
                up == members || (byMajority && up > members / 2 && turns >= TURNS_FOR_ALL);
        int rank = topology.current().members().indexOf(self);
        if (enough && (rank == 0 || turns >= TURNS_OF_THE_FIRST + rank)) {
            propose(up == members ? members : members / 2 + 1);
        } else {
            announcements.announceToAll();
        }
        Duration again = FIRST_AGAIN.multipliedBy(1L << Math.min(turns, TURNS_FOR_ALL));
        turns++;
        long jitter = runtime.random().nextLong(again.toNanos() / 2);
        await((again.compareTo(LAST_AGAIN) < 0 ? again : LAST_AGAIN).plusNanos(jitter));
    }

    private int up() {
        int up = 1;
        if (announcements != null) {
            for (Announcements.OtherMember other : announcements.others()) {
                up += other.isUp().getAsBoolean() ? 1 : 0;
            }
        }
        return up;
    }

    private void propose(int needed) {
        Timestamp ballot = clock.next();
        if (ballot == null) {
            return; // the disk hangs
        }
        UUID own = new UUID(runtime.random().nextLong(), runtime.random().nextLong());
        DecreeRound begun = new DecreeRound(ballot, own.toString(), needed);
        round = begun;
        ask(begun, new ReplicaRequest.Propose(0, ballot, "", needed));
    }

    private void ask(DecreeRound asking, ReplicaRequest.Propose request) {
        if (announcements == null) {
            return;
        }
        long deadlineNanos = runtime.ticker().nanos() + ANSWER_WITHIN.toNanos();
        for (Announcements.OtherMember other : announcements.others()) {
            String name = other.replica().member().name();
            other.replica()
                    .ask(
                            request,
                            deadlineNanos,
                            answer ->
                                    directory.execute(
                                            () -> answered(asking, name, request, answer)));
        }
        answered(asking, self.name(), request, accept(request));
    }

    private void answered(
            DecreeRound asking, String name, ReplicaRequest.Propose request, ReplicaAnswer answer) {
        if (asking != round || !(answer instanceof ReplicaAnswer.Accepting(Decree state))) {
            return;
        }
        switch (asking.answered(name, !request.value().isEmpty(), state)) {
            case PROPOSE ->
                    ask(
                            asking,
                            new ReplicaRequest.Propose(
                                    0, request.ballot(), asking.value(), request.needed()));
            case CHOSEN -> install(UUID.fromString(asking.value()));
            case WAIT, OUTBID -> {}
        }
    }

    private void install(UUID id) {
        if (closed || isKnown() || membership == null) {
            return;
        }
        try {
            data.record(id);
        } catch (IOException e) {
            LOG.error("Cannot record the cluster's id: {}", e.toString());
            return;
        }
        LOG.info("This member belongs to cluster {}", id);
        next.cancel();
        if (!choseId(id)) {
            membership.needNew(topology.current().size()); // the cluster was there before
        }
        membership.joinCluster(id);
        topology.install(id);
    }

    @Override
    public void close() {
        closed = true;
        directory.execute(() -> next.cancel());
    }
}
