package dev.quorate.node.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.quorate.storage.Durability;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NodeOptionsTest {

    private static final String THREE = "n1=http://a:8080,n2=http://b:8080,n3=http://c:8081";
    private static final String SECRET = "sixteen or more chars";

    /** What each test starts from: enough for a node of three, as flags. */
    private static Map<String, String> enough() {
        return new HashMap<>(
                Map.of("name", "n3", "topology", THREE, "secret", SECRET, "insecure", "true"));
    }

    private final Map<Path, String> files = new HashMap<>();

    private String readFile(Path file) throws IOException {
        String text = files.get(file);
        if (text == null) {
            throw new NoSuchFileException(file.toString());
        }
        return text;
    }

    private NodeOptions options(Map<String, String> flags, Map<String, String> environment) {
        return OptionsReader.read(
                Settings.resolve(flags, environment, this::readFile), this::readFile);
    }

    private List<String> violations(Map<String, String> flags, Map<String, String> environment) {
        ConfigException thrown =
                catchThrowableOfType(ConfigException.class, () -> options(flags, environment));
        assertThat(thrown).as("a refusal").isNotNull();
        return thrown.violations();
    }

    @Test
    void aNodeNeedsItsNameItsTopologyAndASecretAndHasADefaultForTheRest() {
        NodeOptions options = options(enough(), Map.of());
        assertThat(options.self().name()).isEqualTo("n3");
        assertThat(options.topology().replicationFactor()).isEqualTo(3);
        assertThat(options.listening().host()).isEqualTo("c");
        assertThat(options.listening().port()).isEqualTo(8081);
        assertThat(options.listening().peerPort()).isEqualTo(18081);
        assertThat(options.doorOf(options.topology().member("n1")))
                .isEqualTo(InetSocketAddress.createUnresolved("a", 18080));
        assertThat(options.data()).isEqualTo(Path.of("quorate-data/n3"));
        assertThat(options.storage().durability()).isEqualTo(Durability.FSYNC);
        assertThat(options.timing().request()).isEqualTo(Duration.ofSeconds(1));
        assertThat(options.limits().maxValueBytes()).isEqualTo(16 << 20);
        assertThat(options.limits().maxBodyBytesInFlight()).isGreaterThanOrEqualTo(16 << 20);
        assertThat(options.storage().maxQueuedBytes()).isGreaterThan(16 << 20);
        assertThat(options.logging().format()).isEqualTo(LogFormat.TEXT);
    }

    @Test
    void aNodeMayReachItsPeersAtOtherAddressesThanTheTopology() {
        Map<String, String> flags = enough();
        flags.put("peer-addresses", "n2=[::1]:99, n1=relay:7");
        NodeOptions options = options(flags, Map.of());
        assertThat(options.topology().members().stream().map(options::doorOf))
                .containsExactly(
                        InetSocketAddress.createUnresolved("relay", 7),
                        InetSocketAddress.createUnresolved("[::1]", 99),
                        InetSocketAddress.createUnresolved("c", 18081));
        flags.put("peer-addresses", Parsers.text(options.peerAddresses()));
        assertThat(options(flags, Map.of()).peerAddresses()).isEqualTo(options.peerAddresses());
    }

    @Test
    void oneMemberNeedsNeitherNameNorSecret() {
        NodeOptions options = options(Map.of("topology", "only=http://127.0.0.1:80"), Map.of());
        assertThat(options.self().name()).isEqualTo("only");
        assertThat(options.secret()).isNull();
        assertThat(options.topology().replicationFactor()).isEqualTo(1);
        assertThat(options.warnings()).isEmpty();
    }

    @Test
    void knownHostsMayBeEveryNameWithAWarningWhereThereAreNoTokens() {
        Map<String, String> flags = new HashMap<>();
        flags.put("topology", "only=http://127.0.0.1:80");
        flags.put("known-hosts", "*");
        assertThat(options(flags, Map.of()).listening().knownHosts()).containsExactly("*");
        assertThat(options(flags, Map.of()).warnings())
                .singleElement()
                .asString()
                .contains("known-hosts is *");
        flags.put("token-file", "/tokens");
        assertThat(options(flags, Map.of()).warnings()).isEmpty();
    }

    @Test
    void aFlagBeatsTheEnvironmentTheEnvironmentTheFileAndTheFileTheDefault() {
        files.put(Path.of("f"), "port=1\nselectors=1\nread-threads=1\n");
        Map<String, String> flags = enough();
        flags.put("config", "f");
        flags.put("port", "3");
        Map<String, String> environment =
                Map.of("QUORATE_PORT", "2", "QUORATE_SELECTORS", "2", "HOME", "/root");
        NodeOptions options = options(flags, environment);
        assertThat(options.listening().port()).isEqualTo(3);
        assertThat(options.listening().selectors()).isEqualTo(2);
        assertThat(options.limits().readThreads()).isEqualTo(1);
        assertThat(options.listening().host()).isEqualTo("c");
    }

    @Test
    void theEnvironmentNamesTheFileWhereNoFlagDoes() {
        files.put(Path.of("f"), "# a comment\nport = 1 \n");
        files.put(Path.of("g"), "port=2");
        assertThat(options(enough(), Map.of("QUORATE_CONFIG", "f")).listening().port())
                .isEqualTo(1);
        Map<String, String> flags = enough();
        flags.put("config", "g");
        assertThat(options(flags, Map.of("QUORATE_CONFIG", "f")).listening().port()).isEqualTo(2);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "port                     | 0          | port must be a whole number from 1 to",
                "port                     | 65536      | port must be a whole number from 1 to",
                "port                     | +80        | port must be a whole number from 1 to",
                "port                     | ' 80'      | port must be a whole number from 1 to",
                "port                     | \u0668\u0660 | port must be a whole number from 1 to",
                "port                     | 9999999999999999999999 | port must be a whole number",
                "port                     | ''         | port must be a whole number from 1 to",
                "name                     | n4         | name is 'n4', which the topology does not",
                "name                     | ''         | name must not be empty",
                "topology                 | n1         | topology is not valid: ",
                "topology                 | n3=ftp://a:1 | topology is not valid: ",
                "replication-factor       | 4          | replication-factor is 4, more than the 3",
                "replication-factor       | 0          | replication-factor must be a whole number",
                "peer-port-offset         | 57455      | peer-port-offset is 57455, which would put",
                "peer-addresses           | n1=a       | peer-addresses must be addresses such as",
                "peer-addresses           | a:1        | peer-addresses must be addresses such as",
                "peer-addresses           | n1=a:1,    | peer-addresses must be addresses such as",
                "peer-addresses           | n1=a:0     | peer-addresses must be addresses such as",
                "peer-addresses           | n1=u@a:1   | peer-addresses must be addresses such as",
                "peer-addresses           | n1=a:1/b   | peer-addresses must be addresses such as",
                "peer-addresses           | 'n1=a:1,n1=a:2' | peer-addresses must not name n1 twice",
                "peer-addresses           | n4=a:1     | peer-addresses names 'n4', which the",
                "durability               | sync       | durability must be fsync or async",
                "durability               | FSYNC      | durability must be fsync or async",
                "async-window             | 0          | async-window must be a time",
                "secret                   | short      | secret must be at least 16 characters",
                "secret-file              | missing    | secret-file is missing, which cannot be",
                "request-timeout          | 1m         | request-timeout must be a time such as",
                "request-timeout          | 1          | request-timeout must be a time such as",
                "drain-timeout            | 601s       | drain-timeout must be a time such as",
                "header-timeout           | x          | header-timeout must be a time such as",
                "idle-timeout             | -1         | idle-timeout must be a time such as",
                "max-clock-drift          | 0          | max-clock-drift must be a time such as",
                "max-value-bytes          | 2GiB       | max-value-bytes must be a number of bytes",
                "max-value-bytes          | 16MB       | max-value-bytes must be a number of bytes",
                "max-value-bytes          | 999999999999GiB | max-value-bytes must be a number of",
                "max-body-bytes-in-flight | 1KiB       | max-body-bytes-in-flight is 1024, less",
                "max-connections          | many       | max-connections must be a whole number",
                "selectors                | 257        | selectors must be a whole number",
                "peer-selectors           | 0          | peer-selectors must be a whole number",
                "read-threads             | 0          | read-threads must be a whole number",
                "memtable-bytes           | 4095       | memtable-bytes must be a number of bytes",
                "segment-bytes            | 1          | segment-bytes must be a number of bytes",
                "reserved-disk-bytes      | -1         | reserved-disk-bytes must be a number of",
                "log-format               | xml        | log-format must be text or json",
                "data                     | ''         | data must not be empty",
                "host                     | ' '        | host must not be empty",
                "cors-origins             | *          | cors-origins must be origins",
                "cors-origins             | null       | cors-origins must be origins",
                "cors-origins             | https://a/ | cors-origins must be origins",
                "cors-origins             | https://A  | cors-origins must be origins",
                "cors-origins             | 'https://a,' | cors-origins must be origins",
                "prot                     | 1          | --prot is not a known flag; did you mean "
            })
    void aBadValueIsRefusedInOneSentenceThatNamesTheKey(
            String key, String value, String beginning) {
        Map<String, String> flags = enough();
        if (key.equals("secret-file")) {
            flags.remove("secret");
        }
        flags.put(key, value);
        assertThat(violations(flags, Map.of()))
                .singleElement()
                .asString()
                .startsWith(beginning)
                .matches("[^\n]+[.?]");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "1024     | 1024",
                "0        | 0",
                "64KiB    | 65536",
                "16MiB    | 16777216",
                "256MiB   | 268435456"
            })
    void bytesMayHaveAUnit(String text, int bytes) {
        Map<String, String> flags = enough();
        flags.put("max-value-bytes", text);
        flags.put("max-body-bytes-in-flight", "1GiB");
        assertThat(withHeap(4L << 30, flags).limits().maxValueBytes()).isEqualTo(bytes);
    }

    private NodeOptions withHeap(long heapBytes, Map<String, String> flags) {
        return OptionsReader.read(
                Settings.resolve(flags, Map.of(), this::readFile), this::readFile, heapBytes);
    }

    @Test
    void aFileMayBeginWithAByteOrderMark() {
        Map<String, String> flags = enough();
        files.put(Path.of("node.properties"), "\uFEFFrequest-timeout=7s\n");
        flags.put("config", "node.properties");
        assertThat(options(flags, Map.of()).timing().request()).hasSeconds(7);
    }

    @Test
    void aHostNameWithAnUnderscoreIsRefusedInOneSentence() {
        Map<String, String> flags = enough();
        flags.put("topology", "n1=http://node_1:8080");
        assertThat(violations(flags, Map.of())).anyMatch(each -> each.contains("no underscore"));
    }

    @Test
    void theLargestValueIsAnEighthOfTheHeapAtMost() {
        Map<String, String> flags = enough();
        assertThat(withHeap(64 << 20, flags).limits().maxValueBytes()).isEqualTo(8 << 20);
        assertThat(withHeap(128 << 20, flags).limits().maxValueBytes()).isEqualTo(16 << 20);
        assertThat(withHeap(1 << 30, flags).limits().maxValueBytes()).isEqualTo(16 << 20);
        flags.put("max-value-bytes", "16MiB");
        assertThat(withHeap(128 << 20, flags).limits().maxValueBytes()).isEqualTo(16 << 20);
        assertThat(catchThrowableOfType(ConfigException.class, () -> withHeap(64 << 20, flags)))
                .hasMessageContaining(
                        "max-value-bytes is 16777216, more than an eighth of the heap")
                .hasMessageContaining("-Xmx is 67108864 bytes");
    }

    @ParameterizedTest
    @CsvSource({"250,250", "250ms,250", "2s,2000"})
    void timesMayHaveAUnit(String text, long millis) {
        Map<String, String> flags = enough();
        flags.put("request-timeout", text);
        assertThat(options(flags, Map.of()).timing().request())
                .isEqualTo(Duration.ofMillis(millis));
    }

    @Test
    void everythingWrongIsReportedAtOnce() {
        Map<String, String> flags = enough();
        flags.put("port", "x");
        flags.put("nonsense", "x");
        assertThat(violations(flags, Map.of("QUORATE_DURABILITY", "x", "QUORATE_PROT", "1")))
                .satisfiesExactlyInAnyOrder(
                        one -> assertThat(one).startsWith("port ").endsWith("(flag --port)."),
                        one -> assertThat(one).isEqualTo("--nonsense is not a known flag."),
                        one ->
                                assertThat(one)
                                        .startsWith("durability ")
                                        .endsWith("(environment QUORATE_DURABILITY)."),
                        one ->
                                assertThat(one)
                                        .isEqualTo(
                                                "QUORATE_PROT is not a known environment"
                                                        + " variable; did you mean"
                                                        + " QUORATE_PORT?"));
    }

    @Test
    void withoutSettingsATopologyIsRequired() {
        assertThat(violations(Map.of(), Map.of()))
                .singleElement()
                .asString()
                .startsWith("topology is missing");
    }

    @Test
    void severalMembersAskForANameAndASecret() {
        assertThat(violations(Map.of("topology", THREE), Map.of()))
                .satisfiesExactly(
                        one -> assertThat(one).startsWith("name is missing: say which of n1, n2"),
                        one -> assertThat(one).startsWith("secret is missing"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"prot=1", "config=f", "port=1\nport=2", "port=\\u00zz"})
    void aBadFileIsRefusedByName(String text) {
        files.put(Path.of("the-file"), text);
        assertThat(violations(enough(), Map.of("QUORATE_CONFIG", "the-file")))
                .singleElement()
                .asString()
                .contains("the-file");
    }

    @Test
    void aFileThatIsNotThereIsRefused() {
        assertThat(violations(enough(), Map.of("QUORATE_CONFIG", "absent")))
                .singleElement()
                .asString()
                .startsWith("The file that config names, absent, cannot be read");
    }

    @Test
    void theStrongerOfTwoSecretsCountsAndEquallyStrongOnesAreRefused() {
        files.put(Path.of("s"), "  the secret of the file \n");
        Map<String, String> flags = enough();
        flags.put("secret-file", "s");
        assertThat(violations(flags, Map.of()))
                .containsExactly("secret and secret-file are both given; one of them has to go.");
        flags.remove("secret");
        assertThat(options(flags, Map.of("QUORATE_SECRET", "x")).secret().bytes())
                .asString()
                .isEqualTo("the secret of the file");
        assertThat(options(enough(), Map.of("QUORATE_SECRET_FILE", "x")).secret().bytes())
                .asString()
                .isEqualTo(SECRET);
    }

    @Test
    void theOperatorIsWarnedOfRiskyOptions() {
        Map<String, String> flags = enough();
        flags.put("durability", "async");
        flags.put("host", "127.0.0.1");
        assertThat(options(flags, Map.of()).warnings())
                .satisfiesExactly(
                        one -> assertThat(one).startsWith("durability is async"),
                        one -> assertThat(one).startsWith("host is 127.0.0.1, so others cannot"));
        flags.put("host", "0.0.0.0");
        flags.put("durability", "fsync");
        assertThat(options(flags, Map.of()).warnings())
                .satisfiesExactly(one -> assertThat(one).startsWith("insecure is true"));
        flags.put("token-file", "tokens");
        assertThat(options(flags, Map.of()).warnings())
                .satisfiesExactly(one -> assertThat(one).startsWith("there is no tls-certificate"));
        flags.put("tls-certificate", "c");
        flags.put("tls-key", "k");
        flags.put("tls-ca", "ca");
        assertThat(options(flags, Map.of()).warnings()).isEmpty();
    }

    @Test
    void theFilesOfTlsGoTogether() {
        Map<String, String> flags = enough();
        flags.put("tls-certificate", "c");
        flags.put("tls-key", "k");
        flags.put("tls-ca", "ca");
        assertThat(options(flags, Map.of()).access().tls())
                .isEqualTo(new NodeOptions.Tls(Path.of("c"), Path.of("k"), Path.of("ca")));
        for (String missing : List.of("tls-certificate", "tls-key", "tls-ca")) {
            Map<String, String> without = new HashMap<>(flags);
            without.remove(missing);
            assertThat(violations(without, Map.of()))
                    .singleElement()
                    .asString()
                    .startsWith(missing + " is missing: ");
        }
        NodeOptions alone =
                options(
                        Map.of(
                                "topology", "only=http://127.0.0.1:80",
                                "tls-certificate", "c",
                                "tls-key", "k"),
                        Map.of());
        assertThat(alone.access().tls()).isNotNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0.0.0.0",
                "::",
                "10.0.0.1",
                "db1",
                "127.example",
                "fe80::1",
                "2001:db8::1",
                "localhost.example",
                "127.0.0.1.example"
            })
    void beyondThisMachineANodeNeedsTokensOrTheWordInsecure(String host) {
        Map<String, String> flags = enough();
        flags.put("host", host);
        flags.remove("insecure");
        assertThat(violations(flags, Map.of()))
                .singleElement()
                .asString()
                .startsWith("token-file is missing: at " + host + " ")
                .contains("--insecure");
        assertThat(violations(flags, Map.of("QUORATE_INSECURE", "false"))).hasSize(1);
        assertThat(options(flags, Map.of("QUORATE_INSECURE", "true")).access().isInsecure())
                .isTrue();
        assertThat(options(flags, Map.of("QUORATE_TOKEN_FILE", "f")).access().tokenFile())
                .isEqualTo(Path.of("f"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "127.9.9.9", "localhost", "::1", "[::1]"})
    void onThisMachineANodeNeedsNone(String host) {
        Map<String, String> flags = enough();
        flags.put("host", host);
        flags.remove("insecure");
        assertThat(options(flags, Map.of()).access().isInsecure()).isFalse();
    }

    /** It is for clients of the command line, and may be set where nodes are started too. */
    @Test
    void theTokenOfAClientIsNoSetting() {
        assertThat(options(enough(), Map.of("QUORATE_TOKEN", "a.b")).access().tokenFile()).isNull();
    }

    @Test
    void theEffectiveConfigurationHasTheOriginOfEachValueAndMasksTheSecret() {
        files.put(Path.of("f"), "selectors=3");
        Map<String, String> flags = enough();
        flags.put("config", "f");
        Settings settings = Settings.resolve(flags, Map.of("QUORATE_PORT", "81"), this::readFile);
        String text = ConfigText.effective(OptionsReader.read(settings, this::readFile), settings);
        assertThat(text.lines().map(line -> line.replaceAll(" +", " ")))
                .hasSize(ConfigTable.ALL.size())
                .contains(
                        "name n3 (flag --name)",
                        "port 81 (environment QUORATE_PORT)",
                        "selectors 3 (file f)",
                        "topology " + THREE + " (flag --topology)",
                        "replication-factor 3 (default)",
                        "request-timeout 1000ms (default)",
                        "secret ******** (flag --secret)");
        assertThat(text).doesNotContain(SECRET);
        assertThat(OptionsReader.read(settings, this::readFile).toString()).doesNotContain(SECRET);
    }

    /** Whoever copies the printed values into a file gets the same node. */
    @Test
    void everyPrintedValueCanBeReadBack() {
        Settings settings = Settings.resolve(enough(), Map.of(), this::readFile);
        NodeOptions options = OptionsReader.read(settings, this::readFile);
        Map<String, String> again = new HashMap<>();
        for (ConfigKey<?> key : ConfigTable.ALL) {
            String value = key.effective().apply(options);
            if (!value.isEmpty()) {
                again.put(key.name(), value);
            }
        }
        again.put("secret", SECRET);
        NodeOptions second = options(again, Map.of());
        assertThat(second.topology()).isEqualTo(options.topology());
        assertThat(second.listening()).isEqualTo(options.listening());
        assertThat(second.limits()).isEqualTo(options.limits());
        assertThat(second.timing()).isEqualTo(options.timing());
        assertThat(second.storage()).isEqualTo(options.storage());
    }

    @Test
    void everyKeyHasOneNameAndIsExplained() {
        assertThat(ConfigTable.names()).doesNotHaveDuplicates();
        assertThat(ConfigText.keys())
                .allSatisfy(
                        key -> {
                            assertThat(key.name()).matches("[a-z]+(-[a-z]+)*");
                            assertThat(key.description()).contains("Default: ", "Environment: ");
                        });
    }
}
