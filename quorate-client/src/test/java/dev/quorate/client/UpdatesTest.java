package dev.quorate.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An update writes a function of a value, unless another write came between. */
@Timeout(30)
final class UpdatesTest {

    private static final Key KEY = Key.of("k");

    /** The value of the key on the fake node; null for none. */
    private volatile String value;

    private volatile int version;
    private volatile String type = "";
    private final Fakes fakes = new Fakes(Duration.ofSeconds(10), new FakeNode(this::serve));

    @AfterEach
    void close() {
        fakes.close();
    }

    /** A store of one key. */
    private synchronized void serve(FakeNode.Seen request, FakeNode.Connection connection)
            throws IOException {
        String headers = "X-Quorate-Version: " + name() + "\r\n" + type;
        if (request.method().equals("GET")) {
            connection.send(
                    value == null ? FakeNode.problem(404) : FakeNode.answer(200, headers, value));
            return;
        }
        String match = request.header("If-Match");
        boolean holds = value == null ? match.isEmpty() : match.equals('"' + name() + '"');
        if (!holds) {
            connection.send(FakeNode.problem(412, headers));
            return;
        }
        version++;
        boolean isPut = request.method().equals("PUT");
        value = isPut ? request.body() : null;
        headers = "X-Quorate-Version: " + name() + "\r\n";
        connection.send(FakeNode.answer(isPut ? 201 : 202, headers, ""));
    }

    private String name() {
        return String.format("%016x-00000000", 1_000_000 + version);
    }

    private static Function<Optional<Entry>, Optional<byte[]>> always(String next) {
        return found -> Optional.of(next.getBytes(StandardCharsets.UTF_8));
    }

    private List<String> writes() {
        return fakes.seen().stream()
                .map(each -> each.method() + " " + each.target())
                .filter(each -> !each.startsWith("GET"))
                .toList();
    }

    @Test
    void aTextIsReplacedByAFunctionOfIt() {
        assertThat(fakes.client.update("k", old -> old.orElse("") + "a")).isEqualTo("a");
        assertThat(fakes.client.update("k", old -> old.orElse("") + "b")).isEqualTo("ab");
        assertThat(value).isEqualTo("ab");
    }

    @Test
    void theFunctionGetsTheNewValueIfAnotherWriteCameFirst() {
        List<Optional<String>> olds = new ArrayList<>();
        String result =
                fakes.client.update(
                        "k",
                        old -> {
                            olds.add(old);
                            if (olds.size() < 4) {
                                write("other" + olds.size());
                            }
                            return "mine after " + old.orElse("nothing");
                        });
        assertThat(result).isEqualTo("mine after other3");
        assertThat(olds)
                .containsExactly(
                        Optional.empty(),
                        Optional.of("other1"),
                        Optional.of("other2"),
                        Optional.of("other3"));
    }

    private synchronized void write(String other) {
        value = other;
        version++;
    }

    @Test
    void withoutAResultTheKeyIsDeleted() {
        write("v");
        assertThat(fakes.client.update(KEY, old -> Optional.empty(), WriteOptions.DEFAULT))
                .isEmpty();
        assertThat(value).isNull();
        fakes.client.update(KEY, old -> Optional.empty(), WriteOptions.DEFAULT);
        assertThat(writes()).containsExactly("DELETE /v0/entity?id=k");
    }

    @Test
    void anUnchangedValueIsNotWritten() {
        write("v");
        assertThat(fakes.client.update("k", Optional::orElseThrow)).isEqualTo("v");
        WriteOptions minute = WriteOptions.DEFAULT.timeToLive(Duration.ofMinutes(1));
        fakes.client.update(KEY, always("v"), minute);
        assertThat(writes()).isEmpty();
        fakes.client.update(KEY, always("w"), minute);
        assertThat(writes()).containsExactly("PUT /v0/entity?id=k&ttl=60");
    }

    @Test
    void theContentTypeRemains() {
        write("{}");
        type = "Content-Type: application/json\r\n";
        fakes.client.update(KEY, always("{1}"), WriteOptions.DEFAULT);
        type = "Content-Type: application/octet-stream\r\n";
        fakes.client.update(KEY, always("{2}"), WriteOptions.DEFAULT);
        fakes.client.update(KEY, always("3"), WriteOptions.DEFAULT.contentType("text/plain"));
        assertThat(fakes.seen().stream().filter(each -> each.method().equals("PUT")))
                .extracting(each -> each.header("Content-Type"))
                .containsExactly("application/json", "", "text/plain");
    }

    @Test
    void itEndsAtTheDeadlineIfOthersAreAlwaysFirst() {
        Function<Optional<Entry>, Optional<byte[]>> late =
                found -> {
                    write("other");
                    return Optional.of(new byte[] {1});
                };
        UnavailableException failure =
                catchThrowableOfType(
                        UnavailableException.class,
                        () ->
                                fakes.client.update(
                                        KEY,
                                        late,
                                        WriteOptions.DEFAULT.deadline(Duration.ofMillis(300))));
        assertThat(failure).isNotNull();
        assertThat(value).isEqualTo("other");
    }

    @Test
    void anExceptionOfTheFunctionIsThatOfTheUpdate() {
        IllegalStateException mine = new IllegalStateException("mine");
        assertThatThrownBy(
                        () ->
                                fakes.client.update(
                                        "k",
                                        old -> {
                                            throw mine;
                                        }))
                .isSameAs(mine);
        assertThat(writes()).isEmpty();
    }

    @Test
    void aVersionOfTheCallerIsRefused() {
        WriteOptions named = WriteOptions.DEFAULT.version(new Version(FakeNode.VERSION));
        assertThatThrownBy(() -> fakes.client.update(KEY, always("v"), named))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
