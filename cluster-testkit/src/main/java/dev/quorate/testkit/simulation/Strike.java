package dev.quorate.testkit.simulation;

import dev.quorate.storage.simulated.FaultyDisk;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Injects one fault and ends it.
 *
 * @param rotten the only node whose bits flip
 * @param mostJoining how many members a change adds at most
 * @param isOver whether the quiet period has begun, in which no fault is injected
 */
record Strike(
        Machines machines,
        SimulatedNode rotten,
        SimulatedRestart rolling,
        SplittableRandom random,
        int mostJoining,
        BooleanSupplier isOver) {

    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final long NANOS_PER_SECOND = 1_000 * NANOS_PER_MILLI;

    /** Longer than the time between two generations of a member. */
    private static final long COPY_AGE_NANOS = 5_200 * NANOS_PER_MILLI;

    private static final List<String> PARTS =
            List.of("store", "member", "topology", "store/identity", "clock");

    private static final List<FaultyDisk.Keep> KEPT = List.of(FaultyDisk.Keep.values());

    /** In three of five draws far less than the accepted skew; otherwise an hour or a year. */
    private static final List<Long> MAX_WRONG_MILLIS =
            List.of(400L, 400L, 400L, 3_600_000L, 365L * 24 * 3_600_000);

    void of(SimulatedFault fault) {
        SimulatedNode node = machines.nodes.get(random.nextInt(machines.nodes.size()));
        switch (fault) {
            case KILL -> {
                kill(node);
                restartLater(node);
            }
            case POWER_LOSS -> losePower(node);
            case CRASH_AT_DISK_STEP -> crashLater(node);
            case POWER_LOSS_OF_ALL -> machines.nodes.forEach(this::losePower);
            case RESTART_STORM -> {
                long spread = random.nextLong(NANOS_PER_SECOND) + 1;
                machines.nodes.forEach(each -> killAfter(each, random.nextLong(spread), 1));
            }
            case ROLLING_RESTART -> rolling.begin();
            case TWO_IN_TURN -> hitInTurn(node, other(node));
            case PAUSE -> pause(node);
            case CUT_BOTH_WAYS -> cut(node, other(node), true);
            case CUT_ONE_WAY -> cut(node, other(node), false);
            case ISOLATE -> {
                isolate(node);
                healLater();
            }
            case FLAPPING -> flap(node, 4 + random.nextInt(20));
            case HEALED_DURING_RESTART -> healedDuringRestart(node, other(node));
            case LOSSY -> {
                machines.record("the network loses and duplicates messages");
                machines.network.setUnreliability(random.nextDouble() / 3, random.nextDouble() / 3);
                healLater();
            }
            case SLOW -> {
                machines.record("the network is slow");
                machines.network.setMostDelayNanos((2 + random.nextInt(300)) * NANOS_PER_MILLI);
                healLater();
            }
            case CLOCK_STEP -> stepClock(node);
            case CLOCKS_OF_THE_PAST -> clocksOfThePast();
            case FAILED_FSYNC -> {
                if (node.isUp()) {
                    machines.record("an fsync of " + node + " will fail");
                    node.disk().failForce(node.disk().forces() + 1 + random.nextInt(5));
                    restartLater(node);
                }
            }
            case FULL_DISK -> fillDisk(node);
            case LOST_DISK -> loseData(damagedOr(node), true);
            case LOST_PART -> loseData(damagedOr(node), false);
            case OLD_COPY -> copyDisk(damagedOr(node));
            case FLIPPED_BIT -> flipBit();
            case MOVED_MEMBER -> {
                Operator operator = new Operator(machines, random, mostJoining);
                operator.changeAddress(node, other(node));
                if (random.nextInt(4) == 0) {
                    operator.changeAddress(other(node), node);
                }
            }
            case CHANGED_MEMBERS -> {
                Operator operator = new Operator(machines, random, mostJoining);
                operator.changeMembers(node);
                if (random.nextInt(4) == 0) {
                    operator.changeMembers(other(node));
                }
            }
        }
    }

    private SimulatedNode other(SimulatedNode node) {
        List<SimulatedNode> nodes = machines.nodes;
        int index = nodes.indexOf(node);
        return nodes.get((index + 1 + random.nextInt(nodes.size() - 1)) % nodes.size());
    }

    private void within(long mostNanos, Runnable action) {
        machines.queue.after(random.nextLong(mostNanos), action);
    }

    // ---- processes

    private void kill(SimulatedNode node) {
        if (node.isUp()) {
            machines.record(node + " is killed");
            node.end(FaultyDisk::afterKill);
        }
    }

    private void killAfter(SimulatedNode node, long delayNanos, long absentNanos) {
        machines.queue.after(
                delayNanos,
                () -> {
                    if (!isOver.getAsBoolean() && node.isUp()) {
                        kill(node);
                        restartAfter(node, absentNanos);
                    }
                });
    }

    private UnaryOperator<FaultyDisk> losingPower() {
        FaultyDisk.Keep keep = KEPT.get(random.nextInt(KEPT.size()));
        SplittableRandom coins = random.split();
        return disk -> disk.afterPowerLoss(keep, coins);
    }

    private void losePower(SimulatedNode node) {
        UnaryOperator<FaultyDisk> afterwards = losingPower();
        if (node.isUp()) {
            machines.record(node + " loses power");
            node.end(afterwards);
        }
        restartLater(node);
    }

    private void crashLater(SimulatedNode node) {
        if (node.isUp()) {
            long steps = 1L + random.nextInt(60);
            machines.record(node + " loses power when it has changed its disk " + steps + " times");
            node.endAtDiskStep(steps, losingPower());
            restartLater(node);
        }
    }

    private void restartLater(SimulatedNode node) {
        restartAfter(node, random.nextLong(3 * NANOS_PER_SECOND / (1 + random.nextInt(10))));
    }

    private void restartAfter(SimulatedNode node, long delayNanos) {
        machines.queue.after(
                delayNanos,
                () -> {
                    if (!isOver.getAsBoolean() && !node.isUp()) {
                        machines.record(node + " starts");
                        node.start();
                    }
                });
    }

    private void hitInTurn(SimulatedNode first, SimulatedNode second) {
        if (first.isUp()) {
            kill(first);
            long absent = random.nextLong(2 * NANOS_PER_SECOND);
            long secondAbsent = random.nextLong(2 * NANOS_PER_SECOND);
            restartAfter(first, absent);
            killAfter(second, absent + random.nextLong(20 * NANOS_PER_MILLI), secondAbsent);
        }
    }

    private void pause(SimulatedNode node) {
        if (node.isUp() && !node.isPaused()) {
            machines.record(node + " is paused");
            node.pause();
            within(
                    3 * NANOS_PER_SECOND,
                    () -> {
                        if (node.isPaused()) {
                            machines.record(node + " is resumed");
                            node.resume();
                        }
                    });
        }
    }

    // ---- the network

    private void flap(SimulatedNode node, int times) {
        if (times % 2 == 0 && times > 0 && !isOver.getAsBoolean()) {
            isolate(node);
        } else {
            heal();
        }
        if (times > 0 && !isOver.getAsBoolean()) {
            long next = 10 * NANOS_PER_MILLI + random.nextLong(200 * NANOS_PER_MILLI);
            machines.queue.after(next, () -> flap(node, times - 1));
        }
    }

    private void healedDuringRestart(SimulatedNode cutOff, SimulatedNode killed) {
        isolate(cutOff);
        kill(killed);
        long absent = random.nextLong(2 * NANOS_PER_SECOND);
        restartAfter(killed, absent);
        machines.queue.after(absent + random.nextLong(5 * NANOS_PER_MILLI), this::heal);
    }

    private void cut(SimulatedNode one, SimulatedNode other, boolean bothWays) {
        String how = bothWays ? ", both ways" : "";
        machines.record("the network is cut from " + one + " to " + other + how);
        machines.network.cut(one, other);
        if (bothWays) {
            machines.network.cut(other, one);
        }
        healLater();
    }

    private void isolate(SimulatedNode node) {
        machines.record(node + " is cut off from all others");
        for (SimulatedNode each : machines.nodes) {
            if (each != node) {
                machines.network.cut(each, node);
                machines.network.cut(node, each);
            }
        }
    }

    private void heal() {
        machines.record("the network is healed");
        machines.network.heal();
    }

    private void healLater() {
        within(4 * NANOS_PER_SECOND, this::heal);
    }

    // ---- clocks

    private void stepClock(SimulatedNode node) {
        long most = MAX_WRONG_MILLIS.get(random.nextInt(MAX_WRONG_MILLIS.size()));
        long skew = random.nextLong(-most, most);
        machines.record("the clock of " + node + " is set " + skew + " ms ahead of the true time");
        node.setSkewMillis(skew);
        within(4 * NANOS_PER_SECOND, () -> node.setSkewMillis(0));
    }

    private void clocksOfThePast() {
        machines.nodes.forEach(this::losePower);
        long back = machines.queue.nanos() / NANOS_PER_MILLI;
        long wrongMillis = back == 0 ? 0 : random.nextLong(back);
        machines.record("all clocks are set back by " + wrongMillis + " ms");
        machines.nodes.forEach(each -> each.setSkewMillis(-wrongMillis));
        within(
                6 * NANOS_PER_SECOND,
                () -> {
                    machines.record("all clocks are right");
                    machines.nodes.forEach(each -> each.setSkewMillis(0));
                });
    }

    // ---- disks

    /** The node with flipped bits, if there is one: then only this node may lose data. */
    private SimulatedNode damagedOr(SimulatedNode drawn) {
        return rotten.mayBeCorrupt() ? rotten : drawn;
    }

    /** Whether no other node lacks data: two replicas that lose data might be the only ones. */
    private boolean isWholeWithout(SimulatedNode node) {
        return machines.nodes.stream().allMatch(each -> each == node || each.isWhole());
    }

    private void loseData(SimulatedNode node, boolean isAll) {
        if (isWholeWithout(node)) {
            String part = isAll ? "its disk" : PARTS.get(random.nextInt(PARTS.size()));
            machines.record(node + " loses " + part);
            if (isAll) {
                node.loseDisk();
            } else {
                node.losePart(part);
            }
            restartLater(node);
        }
    }

    private void copyDisk(SimulatedNode node) {
        long generation = node.generation();
        if (generation > 0) {
            FaultyDisk copy = node.disk().afterKill();
            long later = COPY_AGE_NANOS + random.nextLong(COPY_AGE_NANOS);
            machines.queue.after(later, () -> putBack(node, copy, generation));
        }
    }

    /** Restores the old copy if all members recorded a later generation and so detect it. */
    private void putBack(SimulatedNode node, FaultyDisk copy, long generation) {
        boolean isKnown =
                machines.members().stream()
                        .allMatch(each -> each == node || each.hasRecorded(node, generation + 1));
        if (!isOver.getAsBoolean() && isKnown && isWholeWithout(node) && node.isWhole()) {
            machines.record(node + " restores an old copy of its disk");
            node.putBack(copy);
            restartLater(node);
        }
    }

    private void flipBit() {
        if (!isWholeWithout(rotten)) {
            return;
        }
        FaultyDisk disk = rotten.disk();
        List<Path> tables =
                disk.list(SimulatedNode.STORE).stream()
                        .filter(name -> name.endsWith(".sst"))
                        .map(SimulatedNode.STORE::resolve)
                        .filter(table -> disk.read(table).length > 0) // just created
                        .toList();
        if (!tables.isEmpty()) {
            Path table = tables.get(random.nextInt(tables.size()));
            byte[] bytes = disk.read(table);
            bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
            machines.record("a bit of " + table.getFileName() + " of " + rotten + " flips");
            rotten.allowCorruption();
            disk.replace(table, bytes);
        }
    }

    private void fillDisk(SimulatedNode node) {
        if (node.isUp()) {
            FaultyDisk disk = node.disk();
            machines.record("the disk of " + node + " is full");
            disk.setCapacity(disk.usedBytes() + random.nextInt(8 << 10));
            within(
                    3 * NANOS_PER_SECOND,
                    () -> {
                        machines.record("the disk of " + node + " has space");
                        node.disk().setCapacity(Long.MAX_VALUE);
                    });
        }
    }

    /**
     * Drains, stops and starts one node after the other, as for an upgrade. The next node follows
     * when all others send requests to the previous one. One rolling restart runs at a time.
     */
    static final class SimulatedRestart {

        private final Machines machines;
        private final BooleanSupplier isOver;
        private final Deque<SimulatedNode> left = new ArrayDeque<>();
        private @Nullable SimulatedNode current;

        /** The number of the life that ends. */
        private int life;

        private int polls;

        SimulatedRestart(Machines machines, BooleanSupplier isOver) {
            this.machines = machines;
            this.isOver = isOver;
        }

        /** Starts a rolling restart, unless one is running. */
        void begin() {
            if (current == null) {
                left.addAll(machines.nodes);
                next();
            }
        }

        private void next() {
            SimulatedNode node = left.poll();
            while (node != null && !node.takesRequests()) {
                node = left.poll(); // another fault affects it
            }
            current = node;
            if (node != null) {
                machines.record(node + " is drained and stopped");
                life = node.life();
                polls = 0;
                node.stop();
                pollLater(node);
            }
        }

        private void pollLater(SimulatedNode node) {
            machines.queue.after(20_000_000, () -> poll(node));
        }

        private void poll(SimulatedNode node) {
            if (isOver.getAsBoolean() || ++polls > 250) {
                left.clear();
                current = null;
                return;
            }
            if (!node.isUp()) {
                machines.record(node + " starts");
                node.start();
            }
            if (node.life() != life && node.isKnownTo(machines.members())) {
                next();
            } else {
                pollLater(node);
            }
        }
    }
}
