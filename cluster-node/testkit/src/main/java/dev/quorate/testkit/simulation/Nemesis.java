package dev.quorate.testkit.simulation;

import dev.quorate.storage.simulated.FaultyDisk;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;

/** Breaks things, and lets them be again, as the seed has it. */
final class Nemesis {

    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final long NANOS_PER_SECOND = 1_000 * NANOS_PER_MILLI;

    /** What it can do. */
    private enum Fault {
        KILL,
        POWER_LOSS,
        CRASH_AT_DISK_STEP,
        POWER_LOSS_OF_ALL,
        PAUSE,
        CUT_BOTH_WAYS,
        CUT_ONE_WAY,
        ISOLATE,
        LOSSY,
        SLOW,
        CLOCK_STEP,
        FAILED_FSYNC,
        FULL_DISK
    }

    private static final List<Fault> FAULTS = List.of(Fault.values());
    private static final List<FaultyDisk.Keep> KEPT = List.of(FaultyDisk.Keep.values());

    private final EventQueue queue;
    private final SimulatedNetwork network;
    private final List<SimulatedNode> nodes;
    private final SplittableRandom random;
    private final Story story;
    private final long mostQuietNanos;
    private boolean stopped;
    private int faults;

    Nemesis(
            EventQueue queue,
            SimulatedNetwork network,
            List<SimulatedNode> nodes,
            SplittableRandom random,
            Story story) {
        this.queue = queue;
        this.network = network;
        this.nodes = nodes;
        this.random = random;
        this.story = story;
        this.mostQuietNanos = (500 * NANOS_PER_MILLI) << random.nextInt(5);
    }

    void start() {
        queue.after(random.nextLong(mostQuietNanos) + 1, this::strike);
    }

    int faults() {
        return faults;
    }

    private void strike() {
        if (stopped) {
            return;
        }
        faults++;
        SimulatedNode node = nodes.get(random.nextInt(nodes.size()));
        Fault fault = FAULTS.get(random.nextInt(FAULTS.size()));
        switch (fault) {
            case KILL -> end(node, "is killed", FaultyDisk::afterKill);
            case POWER_LOSS -> end(node, "loses power", losingPower());
            case CRASH_AT_DISK_STEP -> crashLater(node);
            case POWER_LOSS_OF_ALL -> {
                for (SimulatedNode each : nodes) {
                    end(each, "loses power", losingPower());
                }
            }
            case PAUSE -> pause(node);
            case CUT_BOTH_WAYS -> cut(node, other(node), true);
            case CUT_ONE_WAY -> cut(node, other(node), false);
            case ISOLATE -> isolate(node);
            case LOSSY -> {
                story.tell("the network loses and repeats messages");
                network.setUnreliability(random.nextDouble() / 3, random.nextDouble() / 3);
                healLater();
            }
            case SLOW -> {
                story.tell("the network is slow");
                network.setMostDelayNanos((2 + random.nextInt(300)) * NANOS_PER_MILLI);
                healLater();
            }
            case CLOCK_STEP -> stepClock(node);
            case FAILED_FSYNC -> {
                if (node.isUp()) {
                    story.tell("an fsync of " + node + " will fail");
                    node.disk().failForce(node.disk().forces() + 1 + random.nextInt(5));
                    restartLater(node);
                }
            }
            case FULL_DISK -> fillDisk(node);
        }
        start();
    }

    private SimulatedNode other(SimulatedNode node) {
        int index = nodes.indexOf(node);
        return nodes.get((index + 1 + random.nextInt(nodes.size() - 1)) % nodes.size());
    }

    private UnaryOperator<FaultyDisk> losingPower() {
        FaultyDisk.Keep keep = KEPT.get(random.nextInt(KEPT.size()));
        SplittableRandom coins = random.split();
        return disk -> disk.afterPowerLoss(keep, coins);
    }

    private void end(SimulatedNode node, String how, UnaryOperator<FaultyDisk> afterwards) {
        if (node.isUp()) {
            story.tell(node + " " + how);
            node.end(afterwards);
        }
        restartLater(node);
    }

    private void crashLater(SimulatedNode node) {
        if (node.isUp()) {
            long steps = 1L + random.nextInt(60);
            story.tell(node + " loses power when it has changed its disk " + steps + " times");
            node.endAtDiskStep(steps, losingPower());
            restartLater(node);
        }
    }

    private void restartLater(SimulatedNode node) {
        queue.after(
                random.nextLong(3 * NANOS_PER_SECOND / (1 + random.nextInt(10))),
                () -> {
                    if (!stopped && !node.isUp()) {
                        story.tell(node + " starts");
                        node.start();
                    }
                });
    }

    private void pause(SimulatedNode node) {
        if (node.isUp() && !node.isPaused()) {
            story.tell(node + " stands still");
            node.pause();
            queue.after(
                    random.nextLong(3 * NANOS_PER_SECOND),
                    () -> {
                        if (node.isPaused()) {
                            story.tell(node + " goes on");
                            node.resume();
                        }
                    });
        }
    }

    private void cut(SimulatedNode one, SimulatedNode other, boolean bothWays) {
        story.tell("nothing gets from " + one + " to " + other + (bothWays ? ", or back" : ""));
        network.cut(one, other);
        if (bothWays) {
            network.cut(other, one);
        }
        healLater();
    }

    private void isolate(SimulatedNode node) {
        story.tell(node + " is cut off from all others");
        for (SimulatedNode each : nodes) {
            if (each != node) {
                network.cut(each, node);
                network.cut(node, each);
            }
        }
        healLater();
    }

    private void healLater() {
        queue.after(
                random.nextLong(4 * NANOS_PER_SECOND),
                () -> {
                    story.tell("the network is whole");
                    network.heal();
                });
    }

    private void stepClock(SimulatedNode node) {
        long most = random.nextInt(4) == 0 ? 3_600_000 : 400;
        long skew = random.nextLong(-most, most);
        story.tell("the clock of " + node + " is set " + skew + " ms ahead of the true time");
        node.setSkewMillis(skew);
        queue.after(random.nextLong(4 * NANOS_PER_SECOND), () -> node.setSkewMillis(0));
    }

    private void fillDisk(SimulatedNode node) {
        if (!node.isUp()) {
            return;
        }
        FaultyDisk disk = node.disk();
        story.tell("the disk of " + node + " is full");
        disk.setCapacity(disk.usedBytes() + random.nextInt(8 << 10));
        queue.after(
                random.nextLong(3 * NANOS_PER_SECOND),
                () -> {
                    story.tell("the disk of " + node + " has space");
                    node.disk().setCapacity(Long.MAX_VALUE);
                });
    }

    /** Stops, and makes everything whole. */
    void makePeace() {
        stopped = true;
        story.tell("everything is made whole");
        network.heal();
        for (SimulatedNode node : nodes) {
            node.setSkewMillis(0);
            node.disk().setCapacity(Long.MAX_VALUE);
            node.disk().failForce(-1);
            node.disk().beforeStep(step -> {});
            if (node.isPaused()) {
                node.resume();
            }
            node.start();
        }
    }
}
