package dev.quorate.node.api;

import dev.quorate.node.access.Caller;
import dev.quorate.node.http.HttpExchange;
import dev.quorate.node.http.HttpResponse;
import dev.quorate.node.runtime.HeldRoom;

/** An exchange whose answer's bytes count for a caller: when they are sent, not when read. */
final class CountedExchange extends ForwardedExchange {

    private final Caller caller;
    private final boolean isPaced;
    private final ApiEffects effects;

    /**
     * @param isPaced whether a streamed answer waits until the caller may receive again
     */
    CountedExchange(Caller caller, HttpExchange exchange, boolean isPaced, ApiEffects effects) {
        super(exchange);
        this.caller = caller;
        this.isPaced = isPaced;
        this.effects = effects;
    }

    private void count(HttpResponse response) {
        caller.spendBytes(response.bodyBytes(), effects.ticker().nanos());
    }

    @Override
    public void respond(HttpResponse response) {
        count(response);
        super.respond(response);
    }

    @Override
    public void respond(HttpResponse response, HeldRoom room) {
        count(response);
        super.respond(response, room);
    }

    @Override
    public void respondFromSelector(HttpResponse response) {
        count(response);
        super.respondFromSelector(response);
    }

    @Override
    public void stream(HttpResponse head, StreamSource source) {
        super.stream(head, new CountedStream(caller, source, isPaced, effects));
    }
}
