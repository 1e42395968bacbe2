package dev.quorate.testkit.conditional;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Changes of the owners: a joint epoch follows a stable one, and is cancelled, or is final once
 * those who gain the key have copied what the others have. Replicas learn of an epoch late, or only
 * of the next one.
 */
final class OwnerChanges {

    private static final int MEMBERS = 6;
    private static final int MAX_CHANGES = 3;

    private record Agreement(int gainer, int source) {}

    private final Random random;
    private final Mistake mistake;
    private final List<SimulatedReplica> replicas;
    private final Network network;
    private final List<Epoch> epochs = new ArrayList<>();

    /** The owners before and after the change in progress; the same in a stable epoch. */
    private List<Integer> before;

    private List<Integer> after;

    /** Who has copied everything from whom, in the joint epoch. */
    private final Set<Agreement> agreed = new HashSet<>();

    /** Of a hundred steps, those at which a replica may learn of an epoch. */
    private final int learnPercent;

    private int changes;
    private int finished;
    private int cancelled;

    OwnerChanges(
            Random random,
            Mistake mistake,
            List<SimulatedReplica> replicas,
            Network network,
            List<Integer> owners,
            int learnPercent) {
        this.random = random;
        this.mistake = mistake;
        this.replicas = replicas;
        this.network = network;
        this.before = owners;
        this.learnPercent = learnPercent;
        this.after = owners;
        epochs.add(Epoch.stable(0, owners));
    }

    /** Where owners change, some members own nothing at first. */
    static int members(int owners) {
        return Math.max(owners, MEMBERS);
    }

    Epoch of(SimulatedReplica node) {
        return epochs.get(node.epoch);
    }

    private int latest() {
        return epochs.size() - 1;
    }

    private boolean isJoint() {
        return !before.equals(after);
    }

    /** The owners, if no change is in progress and all of them know that; none otherwise. */
    List<SimulatedReplica> settledOwners() {
        return isJoint() ? List.of() : owners();
    }

    /** All owners, if they are in the latest epoch; none otherwise. */
    List<SimulatedReplica> owners() {
        List<SimulatedReplica> owners =
                epochs.getLast().members().stream().map(replicas::get).toList();
        return owners.stream().allMatch(this::isInLatest) ? owners : List.of();
    }

    /** Whether others have what was acknowledged by a replica that loses its disk. */
    boolean canRebuild(SimulatedReplica replica) {
        boolean isOnlyOwner = before.equals(List.of(replica.number));
        return owners().contains(replica) && !isOnlyOwner;
    }

    private boolean isInLatest(SimulatedReplica replica) {
        return replica.epoch == latest();
    }

    int finished() {
        return finished;
    }

    int cancelled() {
        return cancelled;
    }

    // ---- Steps.

    void step() {
        SimulatedReplica replica = replicas.get(random.nextInt(replicas.size()));
        int die = random.nextInt(100);
        if (die < learnPercent && !replica.isDown && replica.epoch < latest()) {
            replica.learns(replica.epoch + 1 + random.nextInt(latest() - replica.epoch));
        } else if (die < 60 && isJoint()) {
            copy();
        } else if (die < 62 && !isJoint() && changes < MAX_CHANGES) {
            change();
        } else if (die == 62 && isJoint() && random.nextInt(3) == 0) {
            cancelled++;
            decide(before, before);
        } else if (die < 70 && isJoint() && isProven()) {
            finished++;
            decide(after, after);
        }
    }

    void everybodyLearns() {
        replicas.forEach(replica -> replica.learns(latest()));
    }

    private void decide(List<Integer> ownersBefore, List<Integer> ownersAfter) {
        before = ownersBefore;
        after = ownersAfter;
        agreed.clear();
        boolean isOfOneGroup = !isJoint() || mistake == Mistake.ASKS_THE_NEW_OWNERS_ALONE;
        epochs.add(
                isOfOneGroup
                        ? Epoch.stable(epochs.size(), after)
                        : Epoch.joint(
                                epochs.size(),
                                before,
                                after,
                                mistake == Mistake.COUNTS_THE_NEW_OWNERS));
    }

    /** Those who gain the key have deleted what they had of it, and know the GC watermark. */
    private void change() {
        List<Integer> next = next();
        List<SimulatedReplica> gainers =
                next.stream().filter(each -> !before.contains(each)).map(replicas::get).toList();
        if (!gainers.stream().allMatch(this::isInLatest)
                || Set.copyOf(next).equals(Set.copyOf(before))) {
            return;
        }
        changes++;
        gainers.forEach(gainer -> gainer.clean(before.stream().map(replicas::get).toList()));
        decide(before, next);
    }

    private List<Integer> next() {
        List<Integer> next = new ArrayList<>(before);
        switch (random.nextInt(6)) {
            case 0 -> {
                next = some(before.size());
            }
            case 1 -> {
                next = some(1 + random.nextInt(5));
            }
            default -> {
                int added = random.nextInt(replicas.size());
                if (!next.contains(added)) {
                    next.set(random.nextInt(next.size()), added);
                }
            }
        }
        return List.copyOf(next);
    }

    private List<Integer> some(int size) {
        List<Integer> all = new ArrayList<>(IntStream.range(0, replicas.size()).boxed().toList());
        Collections.shuffle(all, random);
        return all.subList(0, size);
    }

    // ---- What must be copied before the change is final.

    /** Of groups of one size, those who gain the key from those who leave it; otherwise, all. */
    private Stream<Agreement> required() {
        boolean isOneSize = before.size() == after.size();
        return after.stream()
                .filter(gainer -> !isOneSize || !before.contains(gainer))
                .flatMap(
                        gainer ->
                                before.stream()
                                        .filter(each -> !isOneSize || !after.contains(each))
                                        .filter(each -> !each.equals(gainer))
                                        .map(each -> new Agreement(gainer, each)));
    }

    private boolean isProven() {
        return required().allMatch(agreed::contains);
    }

    /** Reads what a replica has, and gives it to one that gains the key, later. */
    private void copy() {
        List<Agreement> open = required().filter(each -> !agreed.contains(each)).toList();
        if (open.isEmpty()) {
            return;
        }
        Agreement next = open.get(random.nextInt(open.size()));
        SimulatedReplica gainer = replicas.get(next.gainer());
        SimulatedReplica source = replicas.get(next.source());
        if (gainer.isDown || source.isDown || !isInLatest(gainer) || !isInLatest(source)) {
            return;
        }
        if (network.isBehind(source) && mistake != Mistake.COPIES_WHAT_IS_BEHIND) {
            return;
        }
        int epoch = latest();
        Runnable take = gainer.copyOf(source);
        network.later(
                () -> {
                    if (gainer.epoch == epoch) {
                        take.run();
                        if (latest() == epoch) {
                            agreed.add(next);
                        }
                    }
                });
    }
}
