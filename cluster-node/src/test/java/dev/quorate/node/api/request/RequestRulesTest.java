package dev.quorate.node.api.request;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.node.http.HttpHeaders;
import dev.quorate.node.http.HttpResponse;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whose pages may change things, and under which names a node answers. */
final class RequestRulesTest {

    private static final KnownHosts NAMES = new KnownHosts(List.of("n1"), name -> false);

    private static int status(
            RequestRules rules, String method, String path, String host, @Nullable String origin) {
        Map<String, String> values =
                origin == null ? Map.of("host", host) : Map.of("host", host, "origin", origin);
        HttpHeaders headers = values::get;
        HttpResponse refusal = rules.refusal(method, path, headers, false);
        return refusal == null ? 200 : refusal.status();
    }

    @ParameterizedTest
    @CsvSource({
        "https, n1:8080,  https://n1:8080,  200",
        "https, n1:8080,  https://N1:8080,  200",
        "https, n1,       https://n1,       200",
        "https, n1:443,   https://n1,       200",
        "https, n1,       https://n1:443,   200",
        "https, [::1]:443, https://[::1],   200",
        "https, n1:8080,  http://n1:8080,   403",
        "https, n1,       https://n1:80,    403",
        "https, n1,       http://n1,        403",
        "https, n1:8080,  https://n1,       403",
        "https, n1:8080,  https://n2:8080,  403",
        "https, n1:8080,  null,             403",
        "http,  n1:8080,  http://n1:8080,   200",
        "http,  n1:80,    http://n1,        200",
        "http,  n1:8080,  https://n1:8080,  403",
        "http,  n1,       http://n1:443,    403",
        "http,  n1:8081,  http://n1:8080,   403",
    })
    void anOriginHasTheSchemeTheHostAndThePortOfTheListener(
            String scheme, String host, String origin, int status) {
        RequestRules rules = new RequestRules(NAMES, scheme, false);
        assertThat(status(rules, "PUT", "/v0/entity", host, origin)).isEqualTo(status);
        assertThat(status(rules, "POST", "/admin/repair", host, origin)).isEqualTo(status);
    }

    /** Behind a proxy that terminates TLS: a browser sets the header, and pages cannot. */
    @ParameterizedTest
    @CsvSource({
        "n1,           same-origin, 200",
        "n1:8443,      same-origin, 200",
        "evil.example, same-origin, 403",
        "n1,           same-site,   403",
        "n1,           cross-site,  403",
        "n1,           none,        403",
    })
    void aPageOfTheSameOriginMayHaveAnotherScheme(String host, String site, int status) {
        RequestRules rules = new RequestRules(NAMES, "http", true);
        Map<String, String> values =
                Map.of("host", host, "origin", "https://" + host, "sec-fetch-site", site);
        HttpResponse refusal = rules.refusal("PUT", "/v0/entity", values::get, false);
        assertThat(refusal == null ? 200 : refusal.status()).isEqualTo(status);
    }

    @Test
    void anUnknownNameIsRefusedWhereverAPageNeedsNoToken() {
        RequestRules open = new RequestRules(NAMES, "http", false);
        RequestRules closed = new RequestRules(NAMES, "http", true);
        for (String path : new String[] {"/", "/v0/entity", "/v0/entities", "/readyz", "*"}) {
            assertThat(status(open, "GET", path, "evil.example", null)).isEqualTo(421);
            assertThat(status(closed, "GET", path, "evil.example", null)).isEqualTo(200);
        }
        assertThat(status(open, "GET", "/livez", "evil.example", null)).isEqualTo(200);
        assertThat(status(closed, "GET", "/admin/why", "evil.example", null)).isEqualTo(421);
    }
}
