package dev.quorate.testkit.change;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * A random life of one key while its owners change: which epochs are decided, which of them each
 * member knows, and messages that are delayed, reordered and lost. See
 * docs/decisions/0052-joint-quorums.md.
 *
 * <p>Even epochs are stable, odd ones joint. Sets of members are bit masks.
 */
abstract class ChangingOwners {

    static final int MEMBERS = 6;

    private static final int MAX_STEPS = 1_200;

    /** A disk write in progress. */
    private record Write(int member, Runnable store, Runnable answer) {}

    /**
     * A comparison that was read on its source.
     *
     * @param take gives the gainer what the source had
     */
    private record Comparison(int gainer, int source, int epoch, Runnable take) {}

    final SplittableRandom random;
    final Mistake mistake;

    /** For each epoch the owners before and after; equal in stable epochs. */
    private final int[] before = new int[16];

    private final int[] after = new int[16];

    /** The owners to change to, one after the other. */
    private final int[] planned;

    private int changes;

    /** The newest epoch. */
    private int decided;

    private int finished;
    private int cancelled;

    /** A member that is declared lost with the first change; -1 for none. */
    private final int lost;

    private final boolean isCancelable;
    private int dead;
    private final int[] known = new int[MEMBERS];
    private final int[] onDisk = new int[MEMBERS];

    /** For each gainer the members that it has agreed with in this epoch. */
    private int[] agreed = new int[MEMBERS];

    private final List<Runnable> network = new ArrayList<>();
    private final List<Write> writes = new ArrayList<>();
    private final List<Comparison> comparisons = new ArrayList<>();
    private int step;
    private @Nullable String violation;

    /**
     * @param placements the owners, and those of each change
     * @param lost a member that the first change declares lost; -1 for none
     * @param isCancelable whether changes may be cancelled
     */
    ChangingOwners(
            SplittableRandom random,
            Mistake mistake,
            int[] placements,
            int lost,
            boolean isCancelable) {
        this.random = random;
        this.mistake = mistake;
        this.planned = placements;
        this.lost = lost;
        this.isCancelable = isCancelable;
        before[0] = placements[0];
        after[0] = placements[0];
    }

    static int count(int members) {
        return Integer.bitCount(members);
    }

    static boolean has(int members, int member) {
        return (members >> member & 1) != 0;
    }

    static int majority(int members) {
        return count(members) / 2 + 1;
    }

    /** A random set of members. */
    static int set(SplittableRandom random, int size) {
        int members = 0;
        while (count(members) < size) {
            members |= 1 << random.nextInt(MEMBERS);
        }
        return members;
    }

    /** Owners before and after one change, as bit masks. */
    static int[] oneChange(SplittableRandom random) {
        int[][] kinds = {
            {0b00111, 0b01011},
            {0b00111, 0b11001},
            {0b00111, 0b11111},
            {0b11111, 0b00111},
            {0b00001, 0b00010},
            {0b00011, 0b00110}
        };
        return kinds[random.nextInt(kinds.length)];
    }

    // ---- What a model adds.

    /** Begins an operation at a coordinator. */
    abstract void begin(int coordinator);

    /** What a gainer takes from a source: read now, taken later. */
    abstract Runnable compare(int gainer, int source);

    /** Whether a comparison with this source reads nothing. */
    boolean comparesNothing(int source) {
        return false;
    }

    // ---- What a model uses.

    int owners(int epoch) {
        return before[epoch] | after[epoch];
    }

    int ownersBefore(int epoch) {
        return before[epoch];
    }

    int ownersAfter(int epoch) {
        return after[epoch];
    }

    static boolean isJoint(int epoch) {
        return epoch % 2 == 1;
    }

    /** Whether the change in progress takes the key from a member. */
    boolean isLeaving(int member) {
        return has(before[decided] & ~after[decided], member);
    }

    int epochOf(int member) {
        return known[member];
    }

    boolean isDead(int member) {
        return has(dead, member);
    }

    int now() {
        return step;
    }

    void violated(String how) {
        violation = how;
    }

    /** Delivers it later, or loses it. */
    void send(Runnable message) {
        network.add(message);
    }

    /** Stores something later, and then answers, unless the member restarts before. */
    void write(int member, Runnable store, Runnable answer) {
        writes.add(new Write(member, store, answer));
    }

    /** Whether a member takes a request, or may answer one, of an epoch. */
    boolean takes(int member, int epoch) {
        return epoch == known[member]
                || (mistake == Mistake.OLDER_EPOCHS_TAKEN && epoch < known[member]);
    }

    /** A member learns an epoch. */
    void install(int member, int epoch) {
        if (epoch > known[member] && !isDead(member)) {
            known[member] = epoch;
            onDisk[member] = mistake == Mistake.EPOCH_IN_MEMORY ? onDisk[member] : epoch;
        }
    }

    // ---- Changes.

    private boolean sizesAreEqual() {
        return mistake == Mistake.SIZES_IGNORED || count(before[decided]) == count(after[decided]);
    }

    private int gainers() {
        return sizesAreEqual() ? after[decided] & ~before[decided] : after[decided];
    }

    /** The members with which a gainer must have agreed. */
    private int required(int gainer) {
        int old = before[decided];
        int leaving = old & ~after[decided];
        int others = old & ~(1 << gainer);
        if (mistake == Mistake.PROOF_WITHOUT_LEAVERS) {
            return others & ~leaving;
        }
        if (lost >= 0) {
            return others & ~(1 << lost);
        }
        if (!sizesAreEqual()) {
            return others;
        }
        return mistake == Mistake.PROOF_OF_ONE_LEAVER ? Integer.lowestOneBit(leaving) : leaving;
    }

    private boolean isProven() {
        for (int gainer = 0; gainer < MEMBERS; gainer++) {
            if (has(gainers(), gainer) && (required(gainer) & ~agreed[gainer]) != 0) {
                return false;
            }
        }
        return true;
    }

    private void decide(int ownersBefore, int ownersAfter) {
        decided++;
        before[decided] = ownersBefore;
        after[decided] = ownersAfter;
    }

    private void change(int firstAt) {
        boolean isStable = !isJoint(decided);
        boolean begins = changes + 1 < planned.length && step > firstAt;
        if (isStable && begins && (changes == 0 || random.nextInt(20) == 0)) {
            changes++;
            decide(after[decided], planned[changes]);
            agreed = new int[MEMBERS];
            dead = lost < 0 ? dead : dead | 1 << lost;
        } else if (!isStable && isCancelable && random.nextInt(150) == 0) {
            decide(before[decided], before[decided]);
            cancelled++;
        } else if (!isStable && isProven() && random.nextInt(4) == 0) {
            decide(after[decided], after[decided]);
            finished++;
        }
    }

    private void beginComparison() {
        int gainers = gainers();
        if (gainers == 0) {
            return;
        }
        int gainer = member(gainers);
        int source = member(before[decided]);
        boolean bothKnow = known[gainer] >= decided && known[source] >= decided;
        if (source == gainer
                || isDead(source)
                || !(bothKnow || mistake == Mistake.PROOF_BEFORE_JOINT)) {
            return;
        }
        Runnable take = comparesNothing(source) ? () -> {} : compare(gainer, source);
        comparisons.add(new Comparison(gainer, source, decided, take));
    }

    private void endComparison() {
        Comparison ended = comparisons.remove(random.nextInt(comparisons.size()));
        ended.take().run();
        if (ended.epoch() == decided || mistake == Mistake.PROOF_BEFORE_JOINT) {
            agreed[ended.gainer()] |= 1 << ended.source();
        }
    }

    private int member(int members) {
        int member = random.nextInt(MEMBERS);
        while (!has(members, member)) {
            member = random.nextInt(MEMBERS);
        }
        return member;
    }

    // ---- Steps.

    /** Each of its disk writes is lost, or was stored without an answer. */
    private void restart(int member) {
        known[member] = onDisk[member];
        for (Iterator<Write> each = writes.iterator(); each.hasNext(); ) {
            Write write = each.next();
            if (write.member() == member) {
                each.remove();
                if (random.nextBoolean()) {
                    write.store().run();
                }
            }
        }
    }

    /** Lives until nothing is left to do; returns the violation, or null. */
    @Nullable String live() {
        int operations = 3 + random.nextInt(6);
        int firstChangeAt = random.nextInt(60);
        int deliver = 50 + random.nextInt(20);
        int store = deliver + 1 + (random.nextInt(3) == 0 ? 0 : random.nextInt(12));
        int learn = store + 2 + random.nextInt(6);
        int compare = learn + 4 + random.nextInt(6);
        int take = Math.min(98, compare + 3 + random.nextInt(6));
        int started = 0;
        for (step = 1; step < MAX_STEPS && violation == null; step++) {
            change(firstChangeAt);
            int what = random.nextInt(100);
            if (what < 8 && started < operations) {
                int coordinator = random.nextInt(MEMBERS);
                if (!isDead(coordinator)) {
                    started++;
                    begin(coordinator);
                }
            } else if (what < deliver && !network.isEmpty()) {
                Runnable message = network.remove(random.nextInt(network.size()));
                if (random.nextInt(8) != 0) {
                    message.run();
                }
            } else if (what < store && !writes.isEmpty()) {
                Write write = writes.remove(random.nextInt(writes.size()));
                write.store().run();
                write.answer().run();
            } else if (what < learn && decided > 0) {
                int member = random.nextInt(MEMBERS);
                if (known[member] < decided) {
                    install(member, known[member] + 1 + random.nextInt(decided - known[member]));
                }
            } else if (what < compare && isJoint(decided)) {
                beginComparison();
            } else if (what < take && !comparisons.isEmpty()) {
                endComparison();
            } else if (what == 98) {
                restart(random.nextInt(MEMBERS));
            }
            if (network.isEmpty()
                    && writes.isEmpty()
                    && started == operations
                    && !isJoint(decided)) {
                break;
            }
        }
        return violation;
    }

    int finished() {
        return finished;
    }

    int cancelled() {
        return cancelled;
    }
}
