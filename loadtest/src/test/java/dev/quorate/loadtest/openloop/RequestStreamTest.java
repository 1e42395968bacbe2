package dev.quorate.loadtest.openloop;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.loadtest.load.Load;
import dev.quorate.loadtest.load.Load.Api;
import dev.quorate.loadtest.load.Load.Clients;
import dev.quorate.loadtest.load.Load.Manner;
import dev.quorate.loadtest.load.Load.Operation;
import dev.quorate.loadtest.load.Load.Requests;
import dev.quorate.loadtest.load.StoredValues;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class RequestStreamTest {

    private static final int KEYS = 10;
    private static final int THREADS = 3;

    private static RequestStream stream(Operation operation, Manner manner, Api api, int thread) {
        Load load =
                Load.unbounded(
                        "http://host:1",
                        new Requests(operation, "2/3", api, KEYS, 20, 5),
                        new Clients(THREADS, THREADS),
                        manner,
                        1);
        return new RequestStream(load, "host:1", thread);
    }

    private static String next(RequestStream stream) {
        return next(stream, new Asked(0));
    }

    private static String next(RequestStream stream, Asked asked) {
        stream.next(asked);
        ByteBuffer bytes = ByteBuffer.allocate(stream.mostBytes());
        stream.encode(asked, bytes);
        return new String(bytes.array(), 0, bytes.position(), US_ASCII).replace("\r\n", "|");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "STATIC;     GET /v0/status?bytes=20 HTTP/1.1|Host: host:1||",
                "GET_ONCE;   GET /v0/entity?id=bench-20-00000003&replicas=2/3 HTTP/1.1|Host: host:1||",
                "PUT_NEW;    PUT /v0/entity?id=new-20-5-00000001&replicas=2/3 HTTP/1.1|Host: host:1|Content-Length: 20||VALUE1",
                "RANGE;      GET /v0/entities?start=bench-20-00000000&end=bench-20-~&replicas=2/3 HTTP/1.1|Host: host:1||",
            })
    void eachOperationIsSpelledAsTheServerWantsIt(Operation operation, String request) {
        String value = new String(StoredValues.value(1, 20), US_ASCII);
        assertThat(next(stream(operation, Manner.TIMED, Api.REPLICAS, 1)))
                .isEqualTo(request.replace("VALUE1", value));
        assertThat(next(stream(operation, Manner.TIMED, Api.ACK_FROM, 1)))
                .isEqualTo(
                        request.replace("VALUE1", value).replace("replicas=2/3", "ack=2&from=3"));
    }

    @ParameterizedTest
    @CsvSource({
        "GET, GET /v0/entity\\?id=bench-20-0000000[0-9]&replicas=2/3 HTTP/1.1",
        "GET_ABSENT, GET /v0/entity\\?id=bench-20-0000000[0-9]x&replicas=2/3 HTTP/1.1",
        "DELETE, DELETE /v0/entity\\?id=bench-20-0000000[0-9]&replicas=2/3 HTTP/1.1",
        "PUT, PUT /v0/entity\\?id=bench-20-0000000[0-9]&replicas=2/3 HTTP/1.1"
    })
    void anyKeyIsAskedForSoonAndNoOther(Operation operation, String pattern) {
        RequestStream stream = stream(operation, Manner.CHECKED, Api.REPLICAS, 0);
        RequestStream same = stream(operation, Manner.CHECKED, Api.REPLICAS, 0);
        Set<String> lines = new HashSet<>();
        for (int i = 0; i < 1_000; i++) {
            String request = next(stream);
            assertThat(next(same)).isEqualTo(request);
            lines.add(request.substring(0, request.indexOf('|')));
        }
        assertThat(lines).hasSize(KEYS).allMatch(line -> line.matches(pattern));
        assertThat(stream.isOver()).isFalse();
    }

    @Test
    void readsAndWritesTakeTurns() {
        RequestStream stream = stream(Operation.MIXED, Manner.TIMED, Api.REPLICAS, 0);
        for (int i = 0; i < 10; i++) {
            assertThat(next(stream)).startsWith("GET ");
            assertThat(next(stream)).startsWith("PUT ");
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"PUT", "GET", "GET_ONCE"})
    void inOrderEachKeyIsUsedOnceAndThenTheLoadEnds(Operation operation) {
        List<String> keys = new ArrayList<>();
        for (int thread = 0; thread < THREADS; thread++) {
            RequestStream stream = stream(operation, Manner.EVERY_KEY, Api.REPLICAS, thread);
            for (int i = 0; i < stream.keyCount(); i++) {
                assertThat(stream.isOver()).isFalse();
                keys.add(next(stream).replaceFirst(".*id=", "").replaceFirst("&.*", ""));
            }
            assertThat(stream.isOver()).isTrue();
        }
        assertThat(keys)
                .hasSize(KEYS)
                .startsWith(StoredValues.key(0, 20), StoredValues.key(1, 20))
                .endsWith(StoredValues.key(KEYS - 1, 20))
                .doesNotHaveDuplicates();
    }

    @Test
    void aConditionalWriteNamesTheTagOfTheLastAnswerOfItsConnection() {
        RequestStream stream = stream(Operation.PUT_IF_MATCH, Manner.TIMED, Api.REPLICAS, 0);
        Asked asked = new Asked(7);
        String value = new String(StoredValues.value(7, 20), US_ASCII);
        String head = "PUT /v0/entity?id=bench-20-00000007&replicas=2/3 HTTP/1.1|Host: host:1|";
        assertThat(next(stream, asked)).isEqualTo(head + "Content-Length: 20||" + value);
        byte[] tag = "\"5-n1\"".getBytes(US_ASCII);
        System.arraycopy(tag, 0, asked.tag, 0, tag.length);
        asked.tagBytes = tag.length;
        assertThat(next(stream, asked))
                .isEqualTo(head + "Content-Length: 20|If-Match: \"5-n1\"||" + value);
    }

    @Test
    void noNewKeyIsUsedTwice() {
        List<String> keys = new ArrayList<>();
        for (int thread = 0; thread < THREADS; thread++) {
            RequestStream stream = stream(Operation.PUT_NEW, Manner.TIMED, Api.REPLICAS, thread);
            for (int i = 0; i < 100; i++) {
                keys.add(next(stream));
            }
        }
        assertThat(keys).hasSize(300).doesNotHaveDuplicates();
    }
}
