package dev.quorate.loadtest.late;

import dev.quorate.loadtest.load.Span;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Late requests that waited at the same time.
 *
 * @param when from when the first of them was due to the last answer
 * @param requests how many
 * @param longestNanos of the request that took longest
 */
public record Moment(Span when, int requests, long longestNanos) {

    /** Puts requests of which each waited while another did into one moment. */
    static List<Moment> of(List<Span> late) {
        List<Moment> moments = new ArrayList<>();
        List<Span> ordered =
                late.stream().sorted(Comparator.comparingLong(Span::fromNanos)).toList();
        for (Span each : ordered) {
            Moment last = moments.isEmpty() ? null : moments.getLast();
            if (last != null && last.when.overlapNanos(each) > 0) {
                moments.set(moments.size() - 1, last.with(each));
            } else {
                moments.add(new Moment(each, 1, each.nanos()));
            }
        }
        return moments;
    }

    private Moment with(Span request) {
        return new Moment(
                when.with(request), requests + 1, Math.max(longestNanos, request.nanos()));
    }
}
