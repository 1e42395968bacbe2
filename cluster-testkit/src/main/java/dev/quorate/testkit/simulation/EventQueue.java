package dev.quorate.testkit.simulation;

import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Virtual time and its events. Time advances from event to event. Events of the same time run in an
 * order drawn from the seed.
 *
 * <p>A hand-written binary heap: the comparator of {@code PriorityQueue} took a tenth of the time
 * of a simulation.
 */
final class EventQueue {

    private record Event(long atNanos, int tie, long number, Runnable action) {

        boolean isBefore(Event other) {
            if (atNanos != other.atNanos) {
                return atNanos < other.atNanos;
            }
            return tie == other.tie ? number < other.number : tie < other.tie;
        }
    }

    private final SplittableRandom random;

    /** The first {@code size} elements; the event at i is before those at 2i + 1 and 2i + 2. */
    private Event[] heap = new Event[64];

    private int size;
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
        Event event = new Event(nanos + delayNanos, random.nextInt(), numbers++, action);
        if (size == heap.length) {
            heap = Arrays.copyOf(heap, 2 * size);
        }
        int hole = size++;
        while (hole > 0) {
            int parent = (hole - 1) / 2;
            if (!event.isBefore(heap[parent])) {
                break;
            }
            heap[hole] = heap[parent];
            hole = parent;
        }
        heap[hole] = event;
    }

    void run(long forNanos) {
        long until = nanos + forNanos;
        while (size > 0 && heap[0].atNanos <= until) {
            Event next = removeFirst();
            nanos = next.atNanos;
            next.action.run();
        }
        nanos = until;
    }

    private Event removeFirst() {
        Event first = heap[0];
        Event last = heap[--size];
        int hole = 0;
        int child;
        while ((child = 2 * hole + 1) < size) {
            if (child + 1 < size && heap[child + 1].isBefore(heap[child])) {
                child++;
            }
            if (!heap[child].isBefore(last)) {
                break;
            }
            heap[hole] = heap[child];
            hole = child;
        }
        heap[hole] = last;
        heap[size] = null;
        return first;
    }
}
