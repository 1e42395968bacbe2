package dev.quorate.node.api.request;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

final class KnownHostsTest {

    private final KnownHosts hosts =
            new KnownHosts(List.of("N1.example", "quorate"), "moved.example"::equals);

    @ParameterizedTest
    @NullSource
    @ValueSource(
            strings = {
                "n1.example",
                "n1.EXAMPLE:8080",
                "quorate:1",
                "localhost",
                "LOCALHOST:8080",
                "a.localhost",
                "moved.EXAMPLE:8080",
                "127.0.0.1",
                "10.1.2.3:8080",
                "[::1]",
                "[fe80::1]:8080"
            })
    void theNodeIsKnownByTheseAndByAddresses(String host) {
        assertThat(hosts.contains(host, true)).isTrue();
        assertThat(hosts.contains(host, false)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "", "evil.example", "n1.example.evil.example", "127.0.0.1.evil.example:8080",
                "localhost.evil.example", "xn1.example", ":8080", "[::1].evil.example"
            })
    void aNameThatOthersControlIsNotAccepted(String host) {
        assertThat(hosts.contains(host, true)).isFalse();
        assertThat(hosts.contains(host, false)).isFalse();
    }

    @Test
    void aStarIsEveryNameForAllButAdministration() {
        KnownHosts every = new KnownHosts(List.of("n1", KnownHosts.ALL), name -> false);
        assertThat(every.contains("evil.example", false)).isTrue();
        assertThat(every.contains("evil.example", true)).isFalse();
        assertThat(every.contains("*", true)).isFalse();
        assertThat(every.contains("n1", true)).isTrue();
    }
}
