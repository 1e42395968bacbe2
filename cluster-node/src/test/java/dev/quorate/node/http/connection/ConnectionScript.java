package dev.quorate.node.http.connection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.node.http.connection.ConnectionState.Input;
import dev.quorate.node.http.connection.ConnectionState.Protocol;
import dev.quorate.node.http.connection.ConnectionState.Step;
import java.util.ArrayList;
import java.util.List;

/**
 * A script of events, each a line, and what a connection does at them, each a line that is
 * indented. It does with a {@link ConnectionState} what {@link HttpConnection} does with it.
 *
 * <p>Bytes that were queued and not sent stand behind a comma, {@code answer, 100 unsent}, and last
 * until another number does. {@code handled with more} means that the driver has input behind the
 * request; an {@code answer} comes from whatever thread; {@code idle?} is what a listener asks that
 * is about to stop; {@code place wanted}, one that has no place for another streamed answer. {@code
 * large body} is a head whose body has no room, {@code large body, and the client waits for 100},
 * one of which nothing can come before.
 */
final class ConnectionScript {

    private static final String UNSENT = " unsent";

    private final List<String> steps = new ArrayList<>();
    private ConnectionState state = new ConnectionState(true, 0);
    private long unsent;
    private boolean waits;
    private boolean listens = true;

    /** Runs the events of a script: what is done has to be the same. */
    static void assertSteps(String script) {
        ConnectionScript connection = new ConnectionScript();
        StringBuilder actual = new StringBuilder();
        for (String line : script.lines().toList()) {
            if (!line.startsWith(" ")) {
                actual.append(line).append('\n');
                for (String step : connection.take(line)) {
                    actual.append("    ").append(step).append('\n');
                }
            }
        }
        assertThat(actual.toString()).isEqualTo(script);
    }

    private List<String> take(String line) {
        steps.clear();
        String event = line;
        if (line.endsWith(UNSENT)) {
            int comma = line.lastIndexOf(", ");
            event = line.substring(0, comma);
            unsent = Long.parseLong(line.substring(comma + 2, line.length() - UNSENT.length()));
        }
        boolean isWorking = event.endsWith(", and a thread is at work");
        takeEvent(event.replace(", and a thread is at work", ""));
        boolean isOfSocket = event.equals("sent") || steps.contains("wait");
        if (!state.isOver() && (isOfSocket || !state.isDriven())) {
            send();
        }
        if (!isWorking && !event.equals("idle?")) {
            work();
        }
        return List.copyOf(steps);
    }

    private void takeEvent(String event) {
        String[] words = event.split(" ");
        switch (words[0]) {
            case "connection" -> state = new ConnectionState(true, 0);
            case "stranger" -> state = new ConnectionState(false, Long.parseLong(words[2]));
            case "input" -> input(Integer.parseInt(words[2]));
            case "end" -> endOfInput(event.endsWith("in a request"));
            case "error", "stalls" -> state.fail();
            case "hang-up" -> hangUp();
            case "request" -> steps.add(state.beginHandling() ? "handle" : "stop");
            case "handled" -> handled(event);
            case "all" -> state.stopped();
            case "large" -> {
                state.stoppedBeforeRoom();
                waits = true;
                if (event.endsWith("100")) {
                    state.asksForRoom();
                    steps.add("ask for room");
                }
            }
            case "room" -> {
                if (!state.roomGranted()) {
                    steps.add("release it");
                }
            }
            case "malformed" -> {
                state.stopped();
                if (!state.isOver()) {
                    refuse();
                }
            }
            case "late" -> refuse();
            case "answer" -> answer(false);
            case "last" -> answer(true);
            case "upgrade" -> {
                state.upgraded();
                answer(false);
            }
            case "stream" -> {
                if (state.canAnswer()) {
                    state.streaming();
                } else {
                    steps.add("drop it");
                }
            }
            case "delivered" -> delivered(event);
            case "cut" -> state.cutOff();
            case "sent" -> {}
            case "sweep" -> sweep(words, event.endsWith("lingered long enough"));
            case "proved" -> state.proved();
            case "place" -> {
                steps.add(state.isStreaming() ? "give way" : "stay");
                if (state.isStreaming()) {
                    state.fail();
                }
            }
            case "idle?" -> steps.add(state.isIdle(unsent, waits) ? "idle" : "busy");
            case "closed" -> steps.add(state.close() ? "closed" : "was closed");
            default -> throw new IllegalArgumentException(event);
        }
    }

    private void input(int bytes) {
        switch (state.readable(unsent, waits)) {
            case PARSE -> {
                if (state.received(bytes)) {
                    steps.add("parse");
                }
            }
            case DISCARD -> {
                assertThat(state.received(bytes)).isFalse();
                steps.add("discard");
            }
            case ASK_FOR_ROOM -> steps.add("ask for room");
            case WAIT -> steps.add("wait");
        }
    }

    private void endOfInput(boolean isInRequest) {
        if (state.readable(unsent, waits) == Input.WAIT) {
            steps.add("wait");
        } else if (state.endOfInput(isInRequest, unsent)) {
            refuse();
        }
    }

    private void hangUp() {
        Input ignored = state.readable(unsent, waits);
        state.fail();
    }

    private void refuse() {
        boolean isRequest = state.protocol() == Protocol.REQUESTS;
        steps.add(isRequest ? "refuse" : "refuse with a close frame");
        state.refused();
    }

    private void handled(String event) {
        switch (state.handled(unsent)) {
            case PARSE -> steps.add("parse on");
            case DROP -> steps.add("stop");
            case KEEP -> {
                switch (event) {
                    case "handled" -> steps.add("stop");
                    case "handled with more" -> {
                        steps.add("leave the rest for later");
                        waits = true;
                    }
                    default -> {
                        steps.add("drop the rest");
                        state.restDropped();
                    }
                }
            }
        }
    }

    private void answer(boolean isLast) {
        if (state.canAnswer()) {
            state.answered(isLast);
        } else {
            steps.add("drop it");
        }
    }

    private void delivered(String event) {
        if (!state.canDeliver()) {
            steps.add("drop it");
            return;
        }
        switch (event) {
            case "delivered more" -> state.delivered();
            case "delivered the end" -> state.answered(false);
            default -> state.answered(true);
        }
    }

    private void sweep(String[] words, boolean hasLingered) {
        long now = Long.parseLong(words[2].replace(",", ""));
        switch (state.sweep(now, hasLingered)) {
            case LEAVE -> {}
            case REJECT -> steps.add("reject");
            case JUDGE_WAIT -> steps.add("compare the deadline of the wait for room");
            case JUDGE ->
                    steps.add("compare deadlines of the " + (isRequest() ? "request" : "answer"));
        }
    }

    private boolean isRequest() {
        return state.awaitsRequest() || state.isBeforeRoom();
    }

    private void send() {
        switch (state.sent(unsent)) {
            case GO_ON -> {}
            case END_OUTPUT -> steps.add("end the output");
            case RESET -> steps.add("reset");
        }
        boolean listensNow = state.listensForInput(unsent, waits);
        if (listensNow != listens && !state.isOver()) {
            listens = listensNow;
            steps.add(listens ? "listen for input" : "pause input");
        }
    }

    private void work() {
        Step step = state.next(unsent, waits);
        switch (step) {
            case NONE -> {}
            case DRIVE -> {
                steps.add("parse what waits");
                waits = false;
            }
            case PULL -> steps.add("pull");
            case CLOSE -> {
                steps.add(state.isDriven() ? "close, but for the parser" : "close");
                assertThat(state.close()).isTrue();
            }
        }
    }
}
