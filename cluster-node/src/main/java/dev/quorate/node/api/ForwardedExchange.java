package dev.quorate.node.api;

import dev.quorate.node.http.HttpExchange;
import dev.quorate.node.http.HttpRequest;
import dev.quorate.node.http.HttpResponse;
import dev.quorate.node.runtime.HeldRoom;

/** An exchange that forwards to another; subclasses change answers on the way. */
abstract class ForwardedExchange implements HttpExchange {

    private final HttpExchange exchange;

    ForwardedExchange(HttpExchange exchange) {
        this.exchange = exchange;
    }

    @Override
    public void respond(HttpResponse response) {
        exchange.respond(response);
    }

    @Override
    public void respond(HttpResponse response, HeldRoom room) {
        exchange.respond(response, room);
    }

    @Override
    public void respondFromSelector(HttpResponse response) {
        exchange.respondFromSelector(response);
    }

    @Override
    public Runnable keepBody() {
        return exchange.keepBody();
    }

    @Override
    public String address() {
        return exchange.address();
    }

    @Override
    public boolean takePlace() {
        return exchange.takePlace();
    }

    @Override
    public Place takePlaceOfAddress(int most) {
        return exchange.takePlaceOfAddress(most);
    }

    @Override
    public void stream(HttpResponse head, StreamSource source) {
        exchange.stream(head, source);
    }

    @Override
    public void upgrade(HttpRequest request) {
        exchange.upgrade(request);
    }
}
