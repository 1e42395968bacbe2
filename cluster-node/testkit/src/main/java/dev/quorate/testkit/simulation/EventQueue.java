package dev.quorate.testkit.simulation;

import java.util.PriorityQueue;
import java.util.SplittableRandom;

/**
 * Virtual time, and what is to happen in it. Time moves from event to event. Events of the same
 * moment happen in an order drawn from the seed: nobody may rely on one.
 */
final class EventQueue {

    private record Event(long atNanos, int tie, long number, Runnable action)
            implements Comparable<Event> {

        // Written out: with the JDK's combinators, a tenth of a simulation's time went here.
        @Override
        public int compareTo(Event other) {
            int order = Long.compare(atNanos, other.atNanos);
            if (order == 0) {
                order = Integer.compare(tie, other.tie);
            }
            return order == 0 ? Long.compare(number, other.number) : order;
        }
    }

    private final SplittableRandom random;
    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private long nanos;
    private long numbers;

    EventQueue(SplittableRandom random) {
        this.random = random;
    }

    /** Since the simulation began. */
    long nanos() {
        return nanos;
    }

    void after(long delayNanos, Runnable action) {
        events.add(new Event(nanos + delayNanos, random.nextInt(), numbers++, action));
    }

    /** Lets so much time pass. */
    void run(long forNanos) {
        long until = nanos + forNanos;
        Event next;
        while ((next = events.peek()) != null && next.atNanos() <= until) {
            events.remove();
            nanos = next.atNanos();
            next.action().run();
        }
        nanos = until;
    }
}
