package dev.quorate.testkit.history;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One key on a few replicas, the last write wins by stamp: the cluster's rules without the cluster.
 * Messages arrive in any order, late, or never; clocks are apart; clients give up. It can be told
 * to break a rule.
 */
final class QuorumModel {

    /** A rule to break. */
    enum Bug {
        NO_RESTAMP,
        ONE_ACK_TOO_FEW,
        LAST_ARRIVAL_WINS,
        NO_WRITE_BACK,
        DELETES_LEAVE_NO_TOMBSTONE,
        REPLICA_IS_WIPED,
        REFUSED_WRITE_IS_DONE,
        READS_ONE_REPLICA
    }

    /** A value or, if it is null, a tombstone or nothing. */
    private record Entry(long stamp, @Nullable String value) {

        static final Entry NOTHING = new Entry(Long.MIN_VALUE, null);

        Entry newest(Entry other) {
            return other.stamp > stamp ? other : this;
        }
    }

    private static final int REPLICAS = 3;
    private static final int CLIENTS = 4;

    private final Random random;
    private final Set<Bug> bugs;
    private final int[][] specs;
    private final boolean hasDeletes;
    private final Recorder recorder = new Recorder();
    private final Entry[] replicas = new Entry[REPLICAS];
    private final long[] clocks = new long[REPLICAS];
    private final List<Runnable> messages = new ArrayList<>();
    private final List<Task> tasks = new ArrayList<>();
    private final boolean[] isBusy = new boolean[CLIENTS];
    private long nanos;
    private int begun;

    QuorumModel(Random random, int[][] specs, boolean hasDeletes, Bug... bugs) {
        this.random = random;
        this.specs = specs;
        this.hasDeletes = hasDeletes;
        this.bugs = EnumSet.noneOf(Bug.class);
        this.bugs.addAll(List.of(bugs));
        for (int i = 0; i < REPLICAS; i++) {
            replicas[i] = Entry.NOTHING;
            clocks[i] = random.nextInt(1000);
        }
    }

    History run(int operations) {
        while (begun < operations || !tasks.isEmpty()) {
            nanos += 1 + random.nextInt(1000);
            int client = random.nextInt(CLIENTS);
            int die = random.nextInt(1000);
            if (die < 300) {
                if (begun < operations && !isBusy[client]) {
                    begin(client);
                }
            } else if (die < 305) {
                if (!tasks.isEmpty()) {
                    tasks.get(random.nextInt(tasks.size())).giveUp();
                }
            } else if (die < 310 && bugs.contains(Bug.REPLICA_IS_WIPED)) {
                replicas[random.nextInt(REPLICAS)] = Entry.NOTHING;
            } else if (!messages.isEmpty()) {
                Collections.swap(messages, random.nextInt(messages.size()), messages.size() - 1);
                Runnable message = messages.removeLast();
                if (random.nextInt(50) > 0) {
                    message.run();
                }
            } else if (!tasks.isEmpty()) {
                tasks.getFirst().giveUp();
            }
        }
        return recorder.history();
    }

    private void begin(int client) {
        isBusy[client] = true;
        int[] spec = specs[random.nextInt(specs.length)];
        int die = random.nextInt(100);
        begun++;
        if (die < 55) {
            new Read(client, spec).start();
        } else {
            Action action =
                    hasDeletes && die < 70 ? new Action.Delete() : new Action.Put("v" + begun);
            new Write(client, spec, action).start();
        }
    }

    private abstract class Task {

        final int client;
        final int ack;
        final int from;
        final Recorder.Call call;
        boolean isOver;

        Task(int client, int[] spec, Action action) {
            this.client = client;
            this.ack = spec[0];
            this.from = spec[1];
            this.call = recorder.begin(client, "k", action, ack, from, nanos);
            tasks.add(this);
        }

        void giveUp() {
            end(new Answer.Indeterminate("504"));
        }

        void end(Answer answer) {
            if (!isOver) {
                isOver = true;
                isBusy[client] = false;
                tasks.remove(this);
                call.end(answer, nanos);
            }
        }
    }

    private final class Write extends Task {

        private final Action action;
        private final int node = random.nextInt(REPLICAS);
        private long stamp;
        private long newest = Long.MIN_VALUE;
        private int attempt;
        private int acks;

        Write(int client, int[] spec, Action action) {
            super(client, spec, action);
            this.action = action;
        }

        void start() {
            if (random.nextInt(20) == 0) {
                end(new Answer.Refused("503"));
                if (!bugs.contains(Bug.REFUSED_WRITE_IS_DONE)) {
                    return;
                }
            }
            clocks[node] += 1 + random.nextInt(30);
            send();
        }

        private void send() {
            attempt++;
            acks = 0;
            stamp = clocks[node] * REPLICAS + node;
            int sent = attempt;
            Entry entry =
                    new Entry(stamp, action instanceof Action.Put(String value, _) ? value : null);
            for (int i = 0; i < from; i++) {
                int replica = i;
                messages.add(
                        () -> {
                            store(replica, entry);
                            long held = replicas[replica].stamp;
                            messages.add(() -> answered(sent, held));
                        });
            }
        }

        private void answered(int sent, long held) {
            if (sent != attempt || isOver) {
                return;
            }
            acks++;
            newest = Math.max(newest, held);
            int needed = bugs.contains(Bug.ONE_ACK_TOO_FEW) ? Math.max(1, ack - 1) : ack;
            if (acks < needed) {
                return;
            }
            if (newest > stamp && attempt == 1 && !bugs.contains(Bug.NO_RESTAMP)) {
                clocks[node] = Math.max(clocks[node], newest / REPLICAS) + 1;
                send();
                return;
            }
            String version = Long.toString(stamp);
            end(
                    action instanceof Action.Delete
                            ? new Answer.Deleted(version)
                            : new Answer.Stored(version));
        }
    }

    private void store(int replica, Entry entry) {
        boolean isDelete = entry.value == null;
        if (isDelete && bugs.contains(Bug.DELETES_LEAVE_NO_TOMBSTONE)) {
            boolean isNewer = entry.stamp > replicas[replica].stamp;
            replicas[replica] = isNewer ? Entry.NOTHING : replicas[replica];
        } else if (bugs.contains(Bug.LAST_ARRIVAL_WINS)) {
            replicas[replica] = entry;
        } else {
            replicas[replica] = replicas[replica].newest(entry);
        }
    }

    private final class Read extends Task {

        private Entry newest = Entry.NOTHING;
        private int answers;
        private final Set<Integer> holders = new HashSet<>();

        Read(int client, int[] spec) {
            super(client, spec, new Action.Get());
        }

        void start() {
            for (int i = 0; i < from; i++) {
                int replica = i;
                messages.add(
                        () -> {
                            Entry held = replicas[replica];
                            messages.add(() -> answered(replica, held));
                        });
            }
        }

        private void answered(int replica, Entry held) {
            int needed = bugs.contains(Bug.READS_ONE_REPLICA) ? 1 : ack;
            if (answers == needed || isOver) {
                return;
            }
            answers++;
            if (held.stamp > newest.stamp) {
                holders.clear();
            }
            newest = newest.newest(held);
            if (held.stamp == newest.stamp) {
                holders.add(replica);
            }
            if (answers == needed) {
                settle();
            }
        }

        private void settle() {
            int majority = from / 2 + 1;
            if (ack < majority
                    || holders.size() >= majority
                    || newest.equals(Entry.NOTHING)
                    || bugs.contains(Bug.NO_WRITE_BACK)) {
                end(answer());
                return;
            }
            for (int i = 0; i < from; i++) {
                int replica = i;
                messages.add(
                        () -> {
                            store(replica, newest);
                            messages.add(
                                    () -> {
                                        holders.add(replica);
                                        if (holders.size() >= majority) {
                                            end(answer());
                                        }
                                    });
                        });
            }
        }

        private Answer answer() {
            return newest.value == null
                    ? new Answer.Absent()
                    : new Answer.Value(newest.value, Long.toString(newest.stamp));
        }
    }
}
