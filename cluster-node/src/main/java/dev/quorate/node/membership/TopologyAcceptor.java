package dev.quorate.node.membership;

import dev.quorate.node.directory.DataDirectory;
import dev.quorate.node.directory.TopologyRecord;
import dev.quorate.router.decree.Decree;
import dev.quorate.router.message.MemberState.Condition;
import dev.quorate.router.message.ReplicaAnswer;
import dev.quorate.router.message.ReplicaAnswer.Failed;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import dev.quorate.router.message.ReplicaRequest;
import dev.quorate.router.topology.LiveTopology;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * This member as an acceptor of the next topology. Used in tasks of the directory's serial
 * executor.
 */
final class TopologyAcceptor {

    private final DataDirectory data;
    private final LiveTopology topology;
    private final Member self;
    private final boolean byMajority;
    private @Nullable Membership membership;

    TopologyAcceptor(DataDirectory data, LiveTopology topology, Member self, boolean byMajority) {
        this.data = data;
        this.topology = topology;
        this.self = self;
        this.byMajority = byMajority;
    }

    void start(Membership own) {
        membership = own;
    }

    /** The epoch whose successor is chosen now. */
    int epoch() {
        return topology.current().epoch();
    }

    /** Answers a proposal; what it promises or accepts is durable. */
    ReplicaAnswer accept(ReplicaRequest.Propose request) {
        Topology current = topology.current();
        String refusal = refusal(request, current);
        if (refusal != null) {
            return new Failed(Failure.REFUSED, refusal);
        }
        if (mayHaveForgotten(current)) {
            return new Failed(Failure.REBUILDING, "it may have forgotten what it promised");
        }
        TopologyRecord record = data.topology();
        Decree before = record.next();
        try {
            Decree after =
                    request.value().isEmpty()
                            ? before.promise(request.ballot())
                            : before.accept(request.ballot(), request.value());
            if (!after.equals(before)) {
                data.record(record.with(after));
            }
            return new ReplicaAnswer.Accepting(after);
        } catch (IOException e) {
            return new Failed(Failure.FAILED, String.valueOf(e.getMessage()));
        }
    }

    private @Nullable String refusal(ReplicaRequest.Propose request, Topology current) {
        int members = current.size();
        if (!decides(current)) {
            return "it is not a member yet";
        }
        if (request.epoch() != current.epoch()) {
            return "it is in epoch " + current.epoch();
        }
        if (current.epoch() == 0
                && (request.needed() <= members / 2
                        || (request.needed() < members && !byMajority))) {
            return "it was not started with --founding=new";
        }
        if (request.value().isEmpty()) {
            return null;
        }
        try {
            return ChangeRule.refusal(current, successor(current, request.value()));
        } catch (IllegalArgumentException e) {
            return String.valueOf(e.getMessage());
        }
    }

    private boolean mayHaveForgotten(Topology current) {
        Membership own = membership;
        return current.epoch() > 0
                && (!isComplete(current) || own == null || own.condition() == Condition.RETURNING);
    }

    /** Whether this member is an acceptor: not while it joins. */
    boolean decides(Topology current) {
        return current.before().member(self.name()) != null;
    }

    /** Whether this member's state in the decree is complete; alone it need not ask anybody. */
    boolean isComplete(Topology current) {
        return data.topology().votes() || current.before().size() == 1;
    }

    /** The topology that a value of the decree stands for. */
    static Topology successor(Topology current, String value) {
        return current.epoch() == 0
                ? current.in(Topology.parseCluster(value))
                : Topology.parseCanonicalText(value);
    }
}
