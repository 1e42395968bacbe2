package dev.quorate.node.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.node.api.page.PageRequest;
import dev.quorate.node.http.HttpExchange;
import dev.quorate.node.http.HttpRequest;
import dev.quorate.node.http.HttpResponse;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

/** Many who ask for a page at a time. */
final class SharedPageTest {

    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private final List<Integer> statuses = new ArrayList<>();
    private int made;
    private final SharedPage page = new SharedPage("/", this::make, tasks::add);

    private HttpResponse make() {
        made++;
        return new HttpResponse(200, List.of(), new byte[0]);
    }

    private void ask(SharedPage asked) {
        asked.answer(
                new PageRequest(
                        new HttpRequest("GET", "/", null, _ -> null, new byte[0]),
                        null,
                        () -> true),
                new HttpExchange() {
                    @Override
                    public void respond(HttpResponse response) {
                        statuses.add(response.status());
                    }

                    @Override
                    public void stream(HttpResponse head, StreamSource source) {
                        throw new IllegalStateException();
                    }
                });
    }

    @Test
    void aPageIsMadeOnceForAllWaitingRequests() {
        for (int i = 0; i < 100; i++) {
            ask(page);
        }
        assertThat(tasks).hasSize(1);
        tasks.remove().run();
        assertThat(made).isEqualTo(1);
        assertThat(statuses).hasSize(100).containsOnly(200);
        ask(page);
        assertThat(tasks).as("who comes later gets a later one").hasSize(1);
        tasks.remove().run();
        assertThat(made).isEqualTo(2);
    }

    @Test
    void refusesRequestsBeyondTheLimit() {
        for (int i = 0; i < 300; i++) {
            ask(page);
        }
        assertThat(statuses).hasSize(300 - 256).containsOnly(503);
        tasks.remove().run();
        assertThat(statuses).hasSize(300);
        assertThat(tasks).isEmpty();
    }

    @Test
    void refusesWhenNothingIsAccepted() {
        SharedPage rejected =
                new SharedPage(
                        "/",
                        this::make,
                        task -> {
                            throw new RejectedExecutionException();
                        });
        ask(rejected);
        ask(rejected);
        assertThat(statuses).containsExactly(503, 503);
    }
}
