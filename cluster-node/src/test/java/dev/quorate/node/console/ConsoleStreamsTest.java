package dev.quorate.node.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.node.http.HttpExchange;
import dev.quorate.node.http.HttpExchange.StreamSink;
import dev.quorate.node.http.HttpResponse;
import dev.quorate.router.runtime.EventLog;
import dev.quorate.router.runtime.ManualTime;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What the readers of the console's streams get, and what happens to slow ones. */
final class ConsoleStreamsTest {

    private final EventLog events = new EventLog(new ManualTime(0));
    private final ConsoleStreams streams = new ConsoleStreams("n1", events);

    /** A browser that takes what it is sent when the test has it pull. */
    private static final class Browser implements HttpExchange, StreamSink {

        final StringBuilder got = new StringBuilder();
        final List<HttpResponse> answers = new ArrayList<>();
        @Nullable StreamSource source;
        int deliveries;
        String ending = "";

        @Override
        public void respond(HttpResponse response) {
            answers.add(response);
        }

        @Override
        public void stream(HttpResponse head, StreamSource stream) {
            answers.add(head);
            source = stream;
            pull();
        }

        void pull() {
            if (source != null) {
                source.pull(this);
            }
        }

        @Override
        public void chunk(byte[]... parts) {
            for (byte[] part : parts) {
                got.append(new String(part, StandardCharsets.UTF_8));
            }
        }

        @Override
        public void more() {
            deliveries++;
        }

        @Override
        public void end() {
            ending = "end";
        }

        @Override
        public void abort() {
            ending = "abort";
        }
    }

    private Browser open(long since) {
        return open(since, () -> true);
    }

    private Browser open(long since, BooleanSupplier isAllowed) {
        Browser browser = new Browser();
        streams.open(since, isAllowed, browser);
        return browser;
    }

    private void happens(String text) {
        events.info(text);
    }

    @Test
    void aReaderGetsTheEventsTheStateAndTheSample() {
        happens("one");
        happens("two");
        Browser browser = open(1);
        assertThat(browser.answers.getFirst().headers())
                .contains("Content-Type: text/event-stream");
        streams.publish("{\"a\":1}", List.of("{\"b\":2}"));
        assertThat(browser.got)
                .startsWith("retry: 2000\n\nid: 2\nevent: event\ndata: {")
                .endsWith(
                        "\"text\":\"two\"}\n\nevent: state\ndata: {\"a\":1}\n\nevent: sample\ndata:"
                                + " {\"b\":2}\n\n");
        browser.pull();
        browser.got.setLength(0);
        streams.publish("{}", List.of());
        assertThat(browser.got).hasToString("event: state\ndata: {}\n\n");
    }

    @Test
    void manyEventsComeOverSeveralDeliveries() {
        for (int i = 0; i < 120; i++) {
            happens("event " + i + ".");
        }
        Browser browser = open(0);
        streams.publish("{}", List.of());
        assertThat(browser.got).contains("event 49.").doesNotContain("event 50.");
        for (int i = 0; i < 2; i++) {
            browser.pull();
            streams.publish("{}", List.of());
        }
        assertThat(browser.got).contains("event 0.", "event 49.", "event 119.");
        assertThat(browser.got.toString().split("event: event", -1)).hasSize(121);
    }

    @Test
    void nothingWaitsForASlowReaderWhichThenLosesItsPlace() {
        Browser slow = open(0);
        Browser quick = open(0);
        streams.publish("{\"round\":0}", List.of());
        for (int i = 1; i <= ConsoleStreams.MAX_MISSED; i++) {
            quick.pull();
            streams.publish("{\"round\":" + i + "}", List.of());
        }
        assertThat(slow.deliveries).isEqualTo(1);
        assertThat(slow.ending).isEmpty();
        quick.pull();
        streams.publish("{}", List.of());
        slow.pull();
        assertThat(slow.ending).isEqualTo("abort");
        assertThat(quick.deliveries).isEqualTo(ConsoleStreams.MAX_MISSED + 2);
    }

    @Test
    void aReaderThatCatchesUpStays() {
        Browser browser = open(0);
        streams.publish("{}", List.of());
        for (int i = 0; i < ConsoleStreams.MAX_MISSED; i++) {
            streams.publish("{}", List.of());
        }
        browser.pull();
        for (int i = 0; i < ConsoleStreams.MAX_MISSED; i++) {
            streams.publish("{}", List.of());
        }
        browser.pull();
        assertThat(browser.ending).isEmpty();
    }

    @Test
    void aStreamEndsWhenItsReaderIsNotAllowedAnyMore() {
        AtomicBoolean allowed = new AtomicBoolean(true);
        Browser browser = open(0, allowed::get);
        Browser slow = open(0, allowed::get);
        Browser other = open(0);
        streams.publish("{\"round\":1}", List.of());
        browser.pull();
        other.pull();
        allowed.set(false);
        happens("a secret");
        streams.publish("{\"round\":2}", List.of());
        assertThat(browser.ending).isEqualTo("end");
        slow.pull();
        assertThat(slow.ending).isEqualTo("abort");
        assertThat(browser.got).contains("\"round\":1").doesNotContain("secret", "\"round\":2");
        assertThat(slow.got).doesNotContain("secret", "\"round\":2");
        assertThat(other.got).contains("secret", "\"round\":2");
        for (int i = 1; i < ConsoleStreams.MAX_STREAMS; i++) {
            assertThat(open(0).answers.getFirst().status())
                    .as("their places are free")
                    .isEqualTo(200);
        }
    }

    @Test
    void thereIsAMostOfReaders() {
        List<Browser> browsers = new ArrayList<>();
        for (int i = 0; i < ConsoleStreams.MAX_STREAMS; i++) {
            browsers.add(open(0));
        }
        assertThat(open(0).answers.getFirst().status()).isEqualTo(503);
        assertThat(browsers.getFirst().source).isNotNull();
        browsers.getFirst().source.close();
        assertThat(open(0).answers.getFirst().status()).isEqualTo(200);
        browsers.forEach(
                each -> {
                    if (each.source != null) {
                        each.source.close();
                    }
                });
        assertThat(streams.isIdle()).isFalse();
    }

    @Test
    void aNodeThatStopsEndsThem() {
        Browser browser = open(0);
        Browser slow = open(0);
        streams.publish("{}", List.of());
        browser.pull();
        streams.close();
        assertThat(browser.ending).isEqualTo("end");
        slow.pull();
        assertThat(slow.ending).isEqualTo("abort");
        assertThat(open(0).answers.getFirst().status()).isEqualTo(503);
    }
}
