package dev.quorate.testkit.change;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Writes and reads of one key at {@code ack} of its owners, while these change. A read must return
 * at least what was acknowledged before it began, and, at a majority, what an earlier read has
 * returned.
 */
final class RegisterModel extends ChangingOwners {

    private static final int MAX_ATTEMPTS = 4;

    /** A moment, and the value that was acknowledged or returned then. */
    private record Seen(int step, int value) {}

    private static final class Operation {
        final boolean isWrite;
        final int coordinator;
        final int startedAt;
        int value;
        int epoch;
        int attempts;
        int answered;
        final Map<Integer, Integer> answers = new HashMap<>();

        /** Members that have the newest answer, while it is repaired. */
        int holders;

        boolean repairs;
        boolean isOver;

        Operation(boolean isWrite, int coordinator, int startedAt) {
            this.isWrite = isWrite;
            this.coordinator = coordinator;
            this.startedAt = startedAt;
        }
    }

    /** {@code ack} of a write and of a read; 0 for majorities. */
    private final int writeAck;

    private final int readAck;
    private final boolean readsAreMonotonic;
    private final int[] values = new int[MEMBERS];
    private int written;
    private int reads;
    private final List<Seen> acknowledged = new ArrayList<>();
    private final List<Seen> returned = new ArrayList<>();

    private RegisterModel(
            SplittableRandom random, Mistake mistake, int[] placements, int lost, int size) {
        super(random, mistake, placements, lost, lost < 0);
        writeAck = size == 0 ? 0 : 1 + random.nextInt(size);
        readAck = size == 0 ? 0 : size + 1 - writeAck;
        readsAreMonotonic = size == 0 || readAck > size / 2;
    }

    /** A model with random changes; reads and writes at majorities, or at another quorum. */
    static RegisterModel of(long seed, Mistake mistake) {
        SplittableRandom random = new SplittableRandom(seed);
        return switch (random.nextInt(4)) {
            case 0 -> new RegisterModel(random, mistake, new int[] {0b00111, 0b01011}, 2, 0);
            case 1 -> new RegisterModel(random, mistake, oneChange(random), -1, 0);
            default -> {
                int size = 1 + random.nextInt(3);
                boolean sizesVary = random.nextInt(4) == 0;
                int[] placements = changes(random, size, sizesVary);
                boolean atMajorities = sizesVary || random.nextBoolean();
                yield new RegisterModel(random, mistake, placements, -1, atMajorities ? 0 : size);
            }
        };
    }

    /** Two or three changes: of one member, of all, or back. */
    private static int[] changes(SplittableRandom random, int size, boolean sizesVary) {
        int[] placements = new int[3 + random.nextInt(2)];
        placements[0] = set(random, size);
        for (int i = 1; i < placements.length; i++) {
            int previous = placements[i - 1];
            if (random.nextInt(3) == 0) {
                placements[i] = set(random, sizesVary ? 1 + random.nextInt(5) : size);
            } else {
                int added = set(random, 1);
                int removed = set(random, 1);
                boolean replaces = (previous & added) == 0 && (previous & removed) != 0;
                placements[i] = replaces ? (previous & ~removed) | added : previous;
            }
            if (i > 1 && random.nextInt(4) == 0 && count(placements[i - 2]) == count(previous)) {
                placements[i] = placements[i - 2];
            }
        }
        return placements;
    }

    int reads() {
        return reads;
    }

    // ---- Quorums.

    private boolean isQuorum(int members, int epoch, boolean ofReads, boolean ofMajorities) {
        int old = ownersBefore(epoch);
        int next = ownersAfter(epoch);
        boolean ofOld = hasAck(members, old, ofReads, ofMajorities);
        boolean ofNext = hasAck(members, next, ofReads, ofMajorities);
        if (!isJoint(epoch)) {
            return ofOld;
        }
        return switch (mistake) {
            case NEW_OWNERS_ALONE -> ofNext;
            case READS_OF_OLD_OWNERS -> ofOld && (ofReads || ofNext);
            case LARGER_COUNT ->
                    (ofOld && ofNext)
                            || count(members)
                                    > Math.max(
                                            needed(old, ofReads, ofMajorities),
                                            needed(next, ofReads, ofMajorities));
            default -> ofOld && ofNext;
        };
    }

    private boolean hasAck(int members, int owners, boolean ofReads, boolean ofMajorities) {
        return count(members & owners) >= needed(owners, ofReads, ofMajorities);
    }

    private int needed(int owners, boolean ofReads, boolean ofMajorities) {
        if (ofMajorities || writeAck == 0) {
            return majority(owners);
        }
        return ofReads ? readAck : writeAck;
    }

    // ---- Operations.

    @Override
    void begin(int coordinator) {
        Operation operation = new Operation(random.nextBoolean(), coordinator, now());
        if (operation.isWrite) {
            operation.value = ++written;
        }
        plan(operation);
    }

    private void plan(Operation operation) {
        operation.attempts++;
        if (operation.attempts > MAX_ATTEMPTS) {
            operation.isOver = true;
            return;
        }
        operation.epoch = epochOf(operation.coordinator);
        operation.answered = 0;
        operation.answers.clear();
        operation.repairs = false;
        int owners = owners(operation.epoch);
        for (int member = 0; member < MEMBERS; member++) {
            if (has(owners, member)) {
                ask(operation, member, operation.isWrite, operation.value);
            }
        }
    }

    private void ask(Operation operation, int member, boolean writes, int value) {
        int planned = operation.epoch;
        int attempt = operation.attempts;
        send(
                () -> {
                    int epoch =
                            mistake == Mistake.STAMPED_WHEN_SENT
                                    ? Math.max(planned, epochOf(operation.coordinator))
                                    : planned;
                    if (isDead(member)) {
                        return;
                    }
                    if (!takes(member, epoch)) {
                        send(() -> onRefusal(operation, attempt, member));
                    } else if (writes) {
                        write(
                                member,
                                () -> values[member] = Math.max(values[member], value),
                                () -> answer(operation, attempt, member, epoch, true, value));
                    } else {
                        answer(operation, attempt, member, epoch, false, values[member]);
                    }
                });
    }

    private void answer(
            Operation operation, int attempt, int member, int epoch, boolean wrote, int value) {
        send(
                takes(member, epoch)
                        ? () -> onAnswer(operation, attempt, member, wrote, value)
                        : () -> onRefusal(operation, attempt, member));
    }

    private void onRefusal(Operation operation, int attempt, int member) {
        if (operation.isOver || attempt != operation.attempts) {
            return;
        }
        install(operation.coordinator, epochOf(member));
        if (epochOf(operation.coordinator) != operation.epoch) {
            plan(operation);
        }
    }

    private void onAnswer(Operation operation, int attempt, int member, boolean wrote, int value) {
        if (operation.isOver || attempt != operation.attempts) {
            return;
        }
        if (operation.isWrite) {
            operation.answered |= 1 << member;
            if (isQuorum(operation.answered, operation.epoch, false, false)) {
                operation.isOver = true;
                acknowledged.add(new Seen(now(), operation.value));
            }
        } else if (operation.repairs) {
            operation.holders |= wrote ? 1 << member : 0;
            endIfHeld(operation);
        } else {
            operation.answered |= 1 << member;
            operation.answers.put(member, value);
            if (isQuorum(operation.answered, operation.epoch, true, false)) {
                onRead(operation);
            }
        }
    }

    private void onRead(Operation operation) {
        operation.value = operation.answers.values().stream().mapToInt(v -> v).max().orElse(0);
        operation.holders = 0;
        operation.answers.forEach(
                (member, value) -> operation.holders |= value == operation.value ? 1 << member : 0);
        operation.repairs = true;
        if (!readsAreMonotonic) {
            end(operation);
            return;
        }
        endIfHeld(operation);
        if (operation.isOver) {
            return;
        }
        int lacking = owners(operation.epoch) & ~operation.holders;
        for (int member = 0; member < MEMBERS; member++) {
            if (has(lacking, member)) {
                ask(operation, member, true, operation.value);
            }
        }
    }

    private void endIfHeld(Operation operation) {
        if (isQuorum(operation.holders, operation.epoch, true, true)) {
            end(operation);
        }
    }

    private void end(Operation operation) {
        operation.isOver = true;
        reads++;
        requireAtLeast(operation, acknowledged, "acknowledged");
        if (readsAreMonotonic) {
            requireAtLeast(operation, returned, "returned by another read");
            returned.add(new Seen(now(), operation.value));
        }
    }

    private void requireAtLeast(Operation read, List<Seen> earlier, String how) {
        for (Seen seen : earlier) {
            if (seen.step() < read.startedAt && seen.value() > read.value) {
                violated("read %d, but %d was %s".formatted(read.value, seen.value(), how));
            }
        }
    }

    @Override
    Runnable compare(int gainer, int source) {
        int value = values[source];
        return () -> values[gainer] = Math.max(values[gainer], value);
    }
}
