package dev.quorate.testkit.simulation;

import java.util.PriorityQueue;
import java.util.SplittableRandom;

/**
 * Virtual time and its events. Time advances from event to event. Events of the same time run in an
 * order drawn from the seed.
 */
final class EventQueue {

    /** Comparable, because a comparator took a tenth of the time of a simulation. */
    private record Event(long atNanos, int tie, long number, Runnable action)
            implements Comparable<Event> {

        @Override
        public int compareTo(Event other) {
            if (atNanos != other.atNanos) {
                return atNanos < other.atNanos ? -1 : 1;
            }
            return tie == other.tie
                    ? Long.compare(number, other.number)
                    : Integer.compare(tie, other.tie);
        }
    }

    private final SplittableRandom random;
    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private long nanos;
    private long numbers;

    EventQueue(SplittableRandom random) {
        this.random = random;
    }

    /** The time since the beginning of the simulation, in nanoseconds. */
    long nanos() {
        return nanos;
    }

    void after(long delayNanos, Runnable action) {
        events.add(new Event(nanos + delayNanos, random.nextInt(), numbers++, action));
    }

    void run(long forNanos) {
        long until = nanos + forNanos;
        for (Event next = events.peek();
                next != null && next.atNanos <= until;
                next = events.peek()) {
            events.remove();
            nanos = next.atNanos;
            next.action.run();
        }
        nanos = until;
    }
}
