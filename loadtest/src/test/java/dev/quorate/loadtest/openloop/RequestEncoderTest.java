package dev.quorate.loadtest.openloop;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.quorate.loadtest.load.Load;
import dev.quorate.loadtest.load.Load.Api;
import dev.quorate.loadtest.load.Load.Manner;
import dev.quorate.loadtest.load.Load.Operation;
import dev.quorate.loadtest.load.Load.Requests;
import dev.quorate.loadtest.load.StoredValues;
import java.nio.ByteBuffer;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class RequestEncoderTest {

    private static Load load(Api api, Operation operation, int valueBytes) {
        return Load.unbounded(
                "http://host:1",
                new Requests(operation, "2/3", api, 10, valueBytes, 0),
                Load.Clients.of(1),
                Manner.TIMED,
                1);
    }

    private static String encoded(Api api, boolean isPut, int valueBytes) {
        Load load = load(api, Operation.MIXED, valueBytes);
        RequestEncoder encoder = RequestEncoder.of(load, "host:1");
        Asked asked = new Asked(0);
        asked.key = 7;
        asked.isPut = isPut;
        ByteBuffer bytes = ByteBuffer.allocate(encoder.mostBytes());
        encoder.encode(asked, bytes);
        return new String(bytes.array(), 0, bytes.position(), US_ASCII);
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(US_ASCII));
    }

    @Test
    void redisIsAskedForAKeyAndIsGivenItsValue() {
        String value = new String(StoredValues.value(7, 20), US_ASCII);
        assertThat(encoded(Api.REDIS, false, 20))
                .isEqualTo("*2\r\n$3\r\nGET\r\n$17\r\nbench-20-00000007\r\n");
        assertThat(encoded(Api.REDIS, true, 20))
                .isEqualTo(
                        "*3\r\n$3\r\nSET\r\n$17\r\nbench-20-00000007\r\n$20\r\n" + value + "\r\n");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 20, 100, 1_024})
    void etcdIsGivenBodiesOfTheLengthThatTheirHeadSays(int valueBytes) {
        String value = new String(StoredValues.value(7, valueBytes), US_ASCII);
        String key = base64(StoredValues.key(7, valueBytes));
        for (boolean isPut : new boolean[] {false, true}) {
            String request = encoded(Api.ETCD, isPut, valueBytes);
            int end = request.indexOf("\r\n\r\n") + 4;
            assertThat(request)
                    .startsWith("POST /v3/kv/" + (isPut ? "put" : "range") + " HTTP/1.1\r\n")
                    .contains("Host: host:1\r\n", "Content-Length: " + (request.length() - end));
            assertThat(request.substring(end))
                    .isEqualTo(
                            isPut
                                    ? "{\"key\":\""
                                            + key
                                            + "\",\"value\":\""
                                            + base64(value)
                                            + "\"}"
                                    : "{\"key\":\"" + key + "\"}");
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Operation.class,
            names = {"GET", "GET_ONCE", "PUT", "MIXED"},
            mode = EnumSource.Mode.EXCLUDE)
    void whatOthersDoNotHaveIsNotSentToThem(Operation operation) {
        for (Api api : new Api[] {Api.ETCD, Api.REDIS}) {
            Load load = load(api, operation, 20);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> RequestEncoder.of(load, "host:1"));
        }
    }

    @Test
    void aRangeOfEtcdIsRightOnlyWithTheValueOfItsKey() {
        Requests requests = load(Api.ETCD, Operation.GET, 100).requests();
        String value = new String(EtcdEncoder.value(7, 100), US_ASCII);
        String other = new String(EtcdEncoder.value(8, 100), US_ASCII);
        String head = "{\"header\":{\"revision\":\"5\"},\"kvs\":[{\"key\":\"YQ==\",\"value\":\"";
        assertThat(isRight(requests, head + value + "\"}],\"count\":\"1\"}")).isTrue();
        assertThat(isRight(requests, head + other + "\"}],\"count\":\"1\"}")).isFalse();
        assertThat(isRight(requests, "{\"header\":{\"revision\":\"5\"}}")).isFalse();
        assertThat(isRight(requests, head + value + "\"}" + " ".repeat(10_000))).isFalse();
        assertThat(isRight(requests, "")).isFalse();
    }

    private static boolean isRight(Requests requests, String body) {
        BodyCheck check = new BodyCheck(requests);
        Asked asked = new Asked(0);
        asked.key = 7;
        boolean whole = false;
        for (int size : new int[] {1, 7, Math.max(1, body.length())}) {
            check.begin(asked, true);
            ByteBuffer bytes = ByteBuffer.wrap(body.getBytes(US_ASCII));
            for (int at = 0; at < body.length(); at += size) {
                check.take(bytes, at, Math.min(size, body.length() - at));
            }
            whole = check.isRight();
        }
        return whole;
    }
}
