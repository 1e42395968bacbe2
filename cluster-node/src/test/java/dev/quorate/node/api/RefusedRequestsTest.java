package dev.quorate.node.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.node.http.connection.RawClient.Answer;
import dev.quorate.router.quorum.QuorumSpec;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What makes no sense is refused before any work, and what can be said in two ways is understood.
 */
final class RefusedRequestsTest extends ClientOfAnEdge {

    @ParameterizedTest
    @CsvSource({
        "GET, /v0/entity",
        "GET, /v0/entity?",
        "GET, /v0/entity?id",
        "GET, /v0/entity?id=",
        "GET, /v0/entity?id=&id=a",
        "GET, /v0/entity?id=a&id=a",
        "GET, /v0/entity?ID=a",
        "GET, /v0/entity?i%64=a",
        "GET, /v0/entity?id=a&replcas=3/3",
        "GET, /v0/entity?id=%",
        "GET, /v0/entity?id=%4",
        "GET, /v0/entity?id=%ZZ",
        "GET, /v0/entity?id=a%4G",
        "GET, /v0/entity?id=%%41",
        "PUT, /v0/entity?id=a%",
        "DELETE, /v0/entity?id=a%1",
        "GET, /",
        "GET, /v0",
        "GET, /v0/",
        "GET, /v0/entity/",
        "GET, /v0/Entity?id=a",
        "GET, /v0/entities?start=",
        "GET, /v0/entities",
        "GET, /v0/entities?end=b",
        "GET, /v0/entities?scope=node",
        "GET, /v0/entities?limit=1",
        "GET, /v0/entities?start=&scope=node",
        "GET, /v0/entities?start=&end=b",
        "GET, /v0/entities?prefix=&start=a",
        "GET, /v0/entities?prefix=&end=b",
        "GET, /v0/entity?id=a+b",
        "PUT, /v0/entity?id=+",
        "DELETE, /v0/entity?id=a%20+b",
        "GET, /v0/entities?start=a+b",
        "GET, /v0/entities?prefix=a+",
        "GET, /v0/entities?start=a&end=a+b",
        "GET, /admin/why?id=a+b",
        "PUT, /v0/entity?id=a&ttl=+5",
        "GET, /v0/entities?prefix=%4",
        "GET, /v0/entities?prefix=a&start=a",
        "GET, /v0/entities?prefix=a&end=b",
        "GET, /v0/entities?prefix=a&prefix=a",
        "GET, /v0/entities?prefix=&keys=",
        "GET, /v0/entities?prefix=&keys=all",
        "GET, /v0/entities?prefix=&keys=ONLY",
        "GET, /v0/entities?prefix=&reverse=",
        "GET, /v0/entities?prefix=&reverse=true",
        "GET, /v0/entities?prefix=&cursor=",
        "GET, /v0/entities?prefix=&cursor=&limit=10",
        "GET, /v0/entities?prefix=&cursor=x&limit=10",
        "GET, /v0/entities?prefix=&limit=99999999999999999999",
        "GET, /v0/entities?start=a&end=",
        "PUT, /v0/entity?id=a&ttl=0",
        "PUT, /v0/entity?id=a&ttl=",
        "PUT, /v0/entity?id=a&ttl=-1",
        "PUT, /v0/entity?id=a&ttl=1.5",
        "PUT, /v0/entity?id=a&ttl=10x",
        "PUT, /v0/entity?id=a&ttl=315360001",
        "PUT, /v0/entity?id=a&ttl=99999999999999999999",
        "PUT, /v0/entity?id=a&ttl=1&ttl=1",
        "GET, /v0/entity?id=a&ttl=1",
        "GET, /v0/entity?id=a&consistency=",
        "GET, /v0/entity?id=a&consistency=Linearizable",
        "GET, /v0/entity?id=a&consistency=linearizable&consistency=linearizable",
        "PUT, /v0/entity?id=a&consistency=strong",
        "GET, /v0/entity?id=a&explain=",
        "GET, /v0/entity?id=a&explain",
        "GET, /v0/entity?id=a&explain=true",
        "PUT, /v0/entity?id=a&explain=2",
        "DELETE, /v0/entity?id=a&explain=01",
        "GET, /v0/entity?id=a&explain=1&explain=1",
        "GET, /v0/entities?start=a&explain=1",
        "PUT, /v0/entity?id=a&consistency=linearizable&replicas=1/3",
        "DELETE, /v0/entity?id=a&consistency=linearizable&replicas=1/2",
        "GET, /v0/entities?start=a&consistency=linearizable",
        "DELETE, /v0/entity?id=a&ttl=1",
        "GET, /v0/entities?start=a&limit=0",
        "GET, /v0/entities?start=a&limit=-1",
        "GET, /v0/entities?start=a&limit=1x",
        "GET, /v0/entities?start=a&limit=",
        "GET, /v0/entities?start=a&scope=all",
        "GET, /v0/entities?start=a&start=b",
        "GET, /peer/v1/exchange",
        "GET, /admin/why",
        "GET, /admin/why?id=",
        "GET, /admin/why?id=%4",
        "GET, /admin/why?id=a&id=a",
        "GET, /admin/why?id=a&replicas=2/3",
        "GET, /admin/why?key=a",
    })
    void invalidRequestsAreRefusedBeforeAnyWork(String method, String target) throws IOException {
        Answer answer = ask(method, target);
        if (target.equals("/")) {
            assertThat(answer.status()).isEqualTo(200);
            return;
        }
        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.header("content-type")).isEqualTo("application/problem+json");
        assertThat(answer.text()).contains("\"status\":400").contains("\"title\":\"Bad Request\"");
        assertThat(edge.operations.writes).hasValue(0);
        assertThat(edge.operations.reads).hasValue(0);
        assertThat(edge.operations.openScans).hasValue(0);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "replicas=0/3",
                "replicas=3/2",
                "replicas=-1/3",
                "replicas=+2/3",
                "replicas=2/3/4",
                "replicas=%202/3",
                "replicas=2/3%20",
                "replicas=2",
                "replicas=/",
                "replicas=2/",
                "replicas=/3",
                "replicas=",
                "replicas",
                "replicas=1/4",
                "replicas=4294967297/3",
                "replicas=2147483648/2147483648",
                "replicas=%D9%A2/%D9%A3",
                "replicas=0x1/3",
                "replicas=1/0",
                "replicas=0/0",
                "replicas=1.0/3",
                "replicas=%zz/3",
                "replicas=2/3&replicas=2/3",
                "replicas=2/3&ack=2&from=3",
                "replicas=2/3&ack=2",
                "replicas=2/3&from=3",
                "ack=0&from=3",
                "ack=4&from=3",
                "ack=4",
                "from=0",
                "from=4",
                "ack=&from=3",
                "ack=1&from=",
                "ack=+1&from=3",
                "ack=1&ack=1&from=3",
                "ack=1&from=3&from=3",
                "ack=99999999999999999999&from=3"
            })
    void replicasThatMakeNoSenseAreRefused(String replicas) throws IOException {
        for (String method : List.of("GET", "PUT", "DELETE", "HEAD")) {
            assertThat(ask(method, "/v0/entity?id=a&" + replicas).status())
                    .as("%s %s", method, replicas)
                    .isEqualTo(400);
        }
        assertThat(ask("GET", "/v0/entities?start=a&" + replicas).status()).isEqualTo(400);
        assertThat(edge.operations.specs).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "'', 2/3",
        "&replicas=1/1, 1/1",
        "&replicas=3/3, 3/3",
        "&replicas=2%2F3, 2/3",
        "&replicas=%31/2, 1/2",
        "&ack=1&from=2, 1/2",
        "&from=3&ack=3, 3/3",
        "&from=1, 1/1",
        "&from=2, 2/2",
        "&ack=3, 3/3",
        "&ack=1, 1/3",
        "&replicas=0000002/03, 2/3",
    })
    void replicasAreReadInEitherSpelling(String parameters, String spec) throws IOException {
        ask("GET", "/v0/entity?id=a" + parameters);
        ask("PUT", "/v0/entity?id=a" + parameters);
        ask("GET", "/v0/entities?start=a" + parameters);
        assertThat(edge.operations.specs).extracting(QuorumSpec::toString).containsOnly(spec);
        assertThat(edge.operations.specs).hasSize(3);
    }

    @ParameterizedTest
    @CsvSource({
        "POST, /v0/entity?id=a, 'GET, HEAD, PUT, PATCH, DELETE'",
        "PROPFIND, /v0/entity, 'GET, HEAD, PUT, PATCH, DELETE'",
        "get, /v0/entity?id=a, 'GET, HEAD, PUT, PATCH, DELETE'",
        "OPTIONS, /v0/entity?id=a, 'GET, HEAD, PUT, PATCH, DELETE'",
        "PUT, /v0/entities?start=a, 'GET, HEAD, POST'",
        "DELETE, /v0/entities?start=a, 'GET, HEAD, POST'",
        "POST, /v0/status, 'GET, HEAD'",
        "PUT, /metrics, 'GET, HEAD'",
        "DELETE, /livez, 'GET, HEAD'",
        "POST, /, 'GET, HEAD'",
        "POST, /admin/why?id=a, 'GET, HEAD'",
    })
    void anUnsupportedMethodGetsTheListOfMethods(String method, String target, String allow)
            throws IOException {
        Answer answer = ask(method, target);
        assertThat(answer.status()).isEqualTo(405);
        assertThat(answer.header("allow")).isEqualTo(allow);
        assertThat(edge.operations.writes).hasValue(0);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-1", "%2B1", "1k", "65537", "99999999999999999999", "%31"})
    void theStatusPageHasALimit(String bytes) throws IOException {
        Answer answer = ask("GET", "/v0/status?bytes=" + bytes);
        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.text()).contains("'bytes' must be a number, 0 to 65536");
        assertThat(ask("GET", "/v0/status?byte=1").status()).isEqualTo(400);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1",
                "",
                "\"019b75a8a0000007-00000002\"",
                "019B75A8A0000007-00000002",
                "019b75a8a0000007-00000002,019b75a8a0000007-00000002",
                "019b75a8a0000007-00000002-019b75a8a0000007", // a step that is not after its root
                "019b75a8a0000007-00000002-019b75a8a0000008", // of a conditional write
            })
    void aVersionThatIsNoneOfAPlainWriteIsRefused(String value) throws IOException {
        String header = "X-Quorate-Version: " + value + "\r\n";
        assertThat(ask("PUT", "/v0/entity?id=a", header, "v").status()).isEqualTo(400);
        assertThat(ask("DELETE", "/v0/entity?id=a", header, "").status()).isEqualTo(400);
        String twice = "X-Quorate-Version: 019b75a8a0000007-00000002\r\n".repeat(2);
        assertThat(ask("PUT", "/v0/entity?id=a", twice, "v").status()).isEqualTo(400);
        assertThat(edge.operations.writes).hasValue(0);
    }
}
