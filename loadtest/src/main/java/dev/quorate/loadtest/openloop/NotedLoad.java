package dev.quorate.loadtest.openloop;

import dev.quorate.loadtest.load.LoadResult;
import dev.quorate.loadtest.load.Span;
import java.util.List;

/**
 * What a load measured, and its late requests one by one.
 *
 * @param counted the time of which requests count
 * @param late for each late request, from when it was due to its answer
 * @param uncounted late requests that are not among them, for want of room
 * @param ownDelays when a thread of the load generator sent later than was due, by more than half
 *     of the limit, though its connection was free
 */
public record NotedLoad(
        LoadResult result, Span counted, List<Span> late, long uncounted, List<Span> ownDelays) {

    public NotedLoad {
        late = List.copyOf(late);
        ownDelays = List.copyOf(ownDelays);
    }
}
