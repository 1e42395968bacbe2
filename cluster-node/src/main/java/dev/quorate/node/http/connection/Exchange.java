package dev.quorate.node.http.connection;

import dev.quorate.node.http.HttpExchange;
import dev.quorate.node.http.HttpRequest;
import dev.quorate.node.http.HttpResponse;
import dev.quorate.node.http.budget.OpenConnection;
import dev.quorate.node.http.budget.StreamPlaces;
import dev.quorate.node.http.parse.RequestHead;
import dev.quorate.router.runtime.ByteBudget;
import dev.quorate.router.runtime.HeldRoom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** One request in flight. All but the final fields are guarded by the connection's lock. */
final class Exchange implements HttpExchange {

    /** The connection that sends the answer. */
    interface Connection extends OpenConnection {

        /** Sends an answer; {@code room} is the reservation of its large body. */
        void respond(Exchange exchange, HttpResponse response, HeldRoom room);

        /** Like {@link #respond}, by the thread that serves the connection. */
        void respondFromSelector(Exchange exchange, HttpResponse response);

        void upgrade(Exchange exchange, HttpRequest request);

        boolean acquirePlace(Exchange exchange);

        StreamPlaces.Place acquirePlaceForAddress(Exchange exchange, int most);

        void stream(Exchange exchange, HttpResponse head, StreamSource source);
    }

    private final Connection connection;

    /** Whether the request was a HEAD, whose answer has no body. */
    final boolean isHead;

    final boolean isHttp10;

    /** Whether the client wants to keep the connection. */
    final boolean staysOpen;

    /** Reserved for the body until the request is answered and no {@link #retainBody} remains. */
    private final long bodyBytes;

    /** The budget in which they are reserved. */
    private final ByteBudget bodyBudget;

    /** The number of users of the body: the answer, and callers of {@link #retainBody}. */
    private final AtomicInteger bodyUsers = new AtomicInteger(1);

    /** Set by the thread that answers, before another thread may send the answer. */
    private final AtomicBoolean isAnswered = new AtomicBoolean();

    /** Set by the handler, before any other thread has the exchange. */
    private @Nullable UnaryOperator<HttpResponse> beforeAnswer;

    /** Set by the handler; null if the answer is expected soon. */
    volatile @Nullable Runnable whenGone;

    boolean hasPlace;

    @Nullable ResponseStream stream;

    Exchange(Connection connection, RequestHead head, long bodyBytes, ByteBudget bodyBudget) {
        this.connection = connection;
        isHead = head.method().equals("HEAD");
        isHttp10 = head.http10();
        staysOpen = head.staysOpen();
        this.bodyBytes = bodyBytes;
        this.bodyBudget = bodyBudget;
    }

    /** Releases the body, unless others use it. Called once by each user. */
    void releaseBody() {
        if (bodyUsers.decrementAndGet() == 0) {
            bodyBudget.release(bodyBytes);
        }
    }

    @Override
    public Runnable retainBody() {
        bodyUsers.incrementAndGet();
        AtomicBoolean isReleased = new AtomicBoolean();
        return () -> {
            if (isReleased.compareAndSet(false, true)) {
                releaseBody();
            }
        };
    }

    @Override
    public void respond(HttpResponse response) {
        connection.respond(this, first(response), HeldRoom.NONE);
    }

    @Override
    public void respond(HttpResponse response, HeldRoom room) {
        connection.respond(this, first(response), room);
    }

    @Override
    public void whenGone(Runnable task) {
        whenGone = task;
    }

    @Override
    public void respondFromSelector(HttpResponse response) {
        connection.respondFromSelector(this, first(response));
    }

    @Override
    public void upgrade(HttpRequest request) {
        requireFirst();
        connection.upgrade(this, request);
    }

    @Override
    public void beforeAnswer(UnaryOperator<HttpResponse> change) {
        UnaryOperator<HttpResponse> earlier = beforeAnswer;
        beforeAnswer = earlier == null ? change : response -> earlier.apply(change.apply(response));
    }

    /** Applies the change, at most once; throws if the request is answered already. */
    private HttpResponse first(HttpResponse response) {
        UnaryOperator<HttpResponse> change = beforeAnswer;
        beforeAnswer = null;
        HttpResponse changed = change == null ? response : change.apply(response);
        requireFirst();
        return changed;
    }

    /** Marks the request as answered; false if it is already. */
    boolean tryAnswer() {
        return isAnswered.compareAndSet(false, true);
    }

    private void requireFirst() {
        if (!tryAnswer()) {
            throw new IllegalStateException("a request is answered once");
        }
    }

    /** Takes a place unless it has one; false if none is free. With the connection's lock held. */
    boolean hasPlace(StreamPlaces places) {
        hasPlace = hasPlace || places.tryTake(connection);
        return hasPlace;
    }

    /** Releases its place, if it has one. With the connection's lock held. */
    void releasePlace(StreamPlaces places) {
        if (hasPlace) {
            hasPlace = false;
            places.release(connection);
        }
    }

    @Override
    public String address() {
        return connection.address();
    }

    @Override
    public boolean acquirePlace() {
        return connection.acquirePlace(this);
    }

    @Override
    public StreamPlaces.Place acquirePlaceForAddress(int most) {
        return connection.acquirePlaceForAddress(this, most);
    }

    @Override
    public void stream(HttpResponse head, StreamSource source) {
        connection.stream(this, first(head), source);
    }
}
