package dev.quorate.node.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.quorate.node.config.NodeOption.LogStyle;
import dev.quorate.router.topology.Member;
import dev.quorate.storage.Durability;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
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
        return OptionsReader.read(Settings.resolve(flags, environment, this::readFile));
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
        assertThat(options.get(NodeOption.HOST)).isEqualTo("c");
        assertThat(options.get(NodeOption.PORT)).isEqualTo(8081);
        assertThat(options.peerPort()).isEqualTo(18081);
        assertThat(options.peerAddresses(options.topology().member("n1")))
                .containsExactly(InetSocketAddress.createUnresolved("a", 18080));
        Member moved = options.topology().members().getFirst().at(URI.create("http://x:9"));
        assertThat(options.peerAddresses(moved))
                .as("that of the topology, and then that of the option")
                .containsExactly(
                        InetSocketAddress.createUnresolved("x", 10009),
                        InetSocketAddress.createUnresolved("a", 18080));
        assertThat(options.get(NodeOption.DATA)).isEqualTo(Path.of("quorate-data/n3"));
        assertThat(options.storage().durability()).isEqualTo(Durability.FSYNC);
        assertThat(options.get(NodeOption.REQUEST_TIMEOUT)).isEqualTo(Duration.ofSeconds(1));
        assertThat(options.maxValueBytes()).isEqualTo(16 << 20);
        assertThat(options.get(NodeOption.MAX_BODY_BYTES_IN_FLIGHT))
                .isGreaterThanOrEqualTo(16L << 20);
        assertThat(options.storage().maxQueuedBytes()).isGreaterThan(16 << 20);
        assertThat(options.get(NodeOption.LOG_FORMAT)).isEqualTo(LogStyle.TEXT);
    }

    @Test
    void aNodeMayReachItsPeersAtOtherAddressesThanTheTopology() {
        Map<String, String> flags = enough();
        flags.put("peer-addresses", "n2=[::1]:99, n1=relay:7");
        NodeOptions options = options(flags, Map.of());
        assertThat(
                        options.topology().members().stream()
                                .flatMap(each -> options.peerAddresses(each).stream()))
                .containsExactly(
                        InetSocketAddress.createUnresolved("relay", 7),
                        InetSocketAddress.createUnresolved("[::1]", 99),
                        InetSocketAddress.createUnresolved("c", 18081));
        flags.put("peer-addresses", options.text(NodeOption.PEER_ADDRESSES));
        assertThat(options(flags, Map.of()).get(NodeOption.PEER_ADDRESSES))
                .isEqualTo(options.get(NodeOption.PEER_ADDRESSES));
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
        assertThat(options(flags, Map.of()).get(NodeOption.KNOWN_HOSTS)).containsExactly("*");
        assertThat(options(flags, Map.of()).warnings())
                .singleElement()
                .asString()
                .contains("known-hosts is *");
        flags.put("token-file", "/tokens");
        assertThat(options(flags, Map.of()).warnings()).isEmpty();
    }

    @Test
    void aFlagBeatsTheEnvironmentTheEnvironmentTheFileAndTheFileTheDefault() {
        files.put(Path.of("f"), "port=1\nselectors=1\nmax-connections=1\n");
        Map<String, String> flags = enough();
        flags.put("config", "f");
        flags.put("port", "3");
        Map<String, String> environment =
                Map.of("QUORATE_PORT", "2", "QUORATE_SELECTORS", "2", "HOME", "/root");
        NodeOptions options = options(flags, environment);
        assertThat(options.get(NodeOption.PORT)).isEqualTo(3);
        assertThat(options.get(NodeOption.SELECTORS)).isEqualTo(2);
        assertThat(options.get(NodeOption.MAX_CONNECTIONS)).isEqualTo(1);
        assertThat(options.get(NodeOption.HOST)).isEqualTo("c");
    }

    @Test
    void theEnvironmentNamesTheFileWhereNoFlagDoes() {
        files.put(Path.of("f"), "# a comment\nport = 1 \n");
        files.put(Path.of("g"), "port=2");
        assertThat(options(enough(), Map.of("QUORATE_CONFIG", "f")).get(NodeOption.PORT))
                .isEqualTo(1);
        Map<String, String> flags = enough();
        flags.put("config", "g");
        assertThat(options(flags, Map.of("QUORATE_CONFIG", "f")).get(NodeOption.PORT)).isEqualTo(2);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "port | 0 | port=0: must be a whole number from 1 to 65535",
                "port | 65536 | port=65536: must be a whole number from 1 to",
                "port | +80 | port=+80: must be a whole number from 1 to",
                "port | ' 80' | port= 80: must be a whole number from 1 to",
                "port | \u0668\u0660 | port=\u0668\u0660: must be a whole number",
                "port | 9999999999999999999999 | port=9999999999999999999999: must",
                "port | '' | port=: must be a whole number from 1 to",
                "name | n4 | name is 'n4', which the topology does not",
                "name | '' | name=: must be a text that is not empty",
                "topology | n1 | topology=n1: The topology has 'n1' where",
                "topology | n3=ftp://a:1 | topology=n3=ftp://a:1:",
                "replication-factor | 4 | replication-factor is 4, more than the 3",
                "replication-factor | 0 | replication-factor=0: must be a whole",
                "peer-port-offset | 57455 | peer-port-offset is 57455, which would put",
                "peer-addresses | n1=a | peer-addresses=n1=a: must be addresses",
                "peer-addresses | a:1 | peer-addresses=a:1: must be addresses",
                "peer-addresses | n1=a:1, | peer-addresses=n1=a:1,: must be addresses",
                "peer-addresses | n1=a:0 | peer-addresses=n1=a:0: must be addresses",
                "peer-addresses | n1=u@a:1 | peer-addresses=n1=u@a:1: must be",
                "peer-addresses | n1=a:1/b | peer-addresses=n1=a:1/b: must be",
                "peer-addresses | 'n1=a:1,n1=a:2' | peer-addresses=n1=a:1,n1=a:2: must be",
                "peer-addresses | n4=a:1 | peer-addresses names 'n4', which the",
                "durability | sync | durability=sync: must be fsync or async",
                "durability | FSYNC | durability=FSYNC: must be fsync or async",
                "insecure | yes | insecure=yes: must be true or false",
                "secret | short | secret must be at least 16 characters",
                "secret-file | missing | secret-file is missing, which cannot be",
                "request-timeout | 11m | request-timeout=11m: must be a duration",
                "request-timeout | 9ms | request-timeout=9ms: must be a duration from"
                        + " 10ms to 10m, in ms, s, m, h or d",
                "request-timeout | 500 | request-timeout=500: must be a duration with a unit"
                        + " (ms, s, m, h or d), for example 500s",
                "hint-window | 7 | hint-window=7: must be a duration with a unit (ms, s, m, h or"
                        + " d), for example 7d",
                "drain-timeout | 601s | drain-timeout=601s: must be a duration from",
                "drain-timeout | -1 | drain-timeout=-1: must be a duration from",
                "drain-timeout | s | drain-timeout=s: must be a duration from",
                "max-clock-drift | 0 | max-clock-drift=0: must be a duration",
                "slow-operation | 1.5s | slow-operation=1.5s: must be a duration",
                "slow-operation | 1 s | slow-operation=1 s: must be a duration",
                "max-value-bytes | 2GiB | max-value-bytes=2GiB: must be a size from",
                "max-value-bytes | 16MB | max-value-bytes=16MB: must be a size from 0 to"
                        + " 256MiB, in B, KiB, MiB or GiB",
                "max-value-bytes | 16m | max-value-bytes=16m: must be a size from",
                "max-value-bytes | 999999999999GiB | max-value-bytes=999999999999GiB: must",
                "max-body-bytes-in-flight | 1KiB | max-body-bytes-in-flight is 1KiB, less",
                "max-connections | many | max-connections=many: must be a whole",
                "selectors | 257 | selectors=257: must be a whole number",
                "memtable-bytes | 4095B | memtable-bytes=4095B: must be a size from",
                "memtable-bytes | 64 | memtable-bytes=64: must be a size with a unit (B, KiB,"
                        + " MiB or GiB), for example 64MiB",
                "segment-bytes | 1B | segment-bytes=1B: must be a size from",
                "reserved-disk-bytes | -1 | reserved-disk-bytes=-1: must be a size",
                "log-format | xml | log-format=xml: must be text or json",
                "data | '' | data=: must be a text that is not empty",
                "host | ' ' | host= : must be a text that is not empty",
                "cors-origins | * | cors-origins=*: must be origins",
                "cors-origins | null | cors-origins=null: must be origins",
                "cors-origins | https://a/ | cors-origins=https://a/: must be origins",
                "cors-origins | https://A | cors-origins=https://A: must be origins",
                "cors-origins | 'https://a,' | cors-origins=https://a,: must be origins",
                "header-timeout | 1s | --header-timeout is not a known flag.",
                "idle-timeout | 1s | --idle-timeout is not a known flag.",
                "async-window | 1s | --async-window is not a known flag.",
                "peer-selectors | 1 | --peer-selectors is not a known flag.",
                "read-threads | 1 | --read-threads is not a known flag.",
                "prot | 1 | --prot is not a known flag; did you mean"
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
                "1024B    | 1024",
                "0        | 0",
                "64KiB    | 65536",
                "16MiB    | 16777216",
                "256MiB   | 268435456"
            })
    void bytesHaveAUnit(String text, int bytes) {
        Map<String, String> flags = enough();
        flags.put("max-value-bytes", text);
        flags.put("max-body-bytes-in-flight", "1GiB");
        assertThat(withHeap(4L << 30, flags).maxValueBytes()).isEqualTo(bytes);
    }

    private NodeOptions withHeap(long heapBytes, Map<String, String> flags) {
        return OptionsReader.read(Settings.resolve(flags, Map.of(), this::readFile), heapBytes);
    }

    @Test
    void aFileMayBeginWithAByteOrderMark() {
        Map<String, String> flags = enough();
        files.put(Path.of("node.properties"), "\uFEFFrequest-timeout=7s\n");
        flags.put("config", "node.properties");
        assertThat(options(flags, Map.of()).get(NodeOption.REQUEST_TIMEOUT)).hasSeconds(7);
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
        assertThat(withHeap(64 << 20, flags).maxValueBytes()).isEqualTo(8 << 20);
        assertThat(withHeap(128 << 20, flags).maxValueBytes()).isEqualTo(16 << 20);
        assertThat(withHeap(1 << 30, flags).maxValueBytes()).isEqualTo(16 << 20);
        flags.put("max-value-bytes", "16MiB");
        assertThat(withHeap(128 << 20, flags).maxValueBytes()).isEqualTo(16 << 20);
        assertThat(catchThrowableOfType(ConfigException.class, () -> withHeap(64 << 20, flags)))
                .hasMessageContaining("max-value-bytes is 16MiB, more than an eighth of the heap")
                .hasMessageContaining("-Xmx is 64MiB");
    }

    @ParameterizedTest
    @CsvSource({"250ms,250", "2s,2000", "3m,180000", "010ms,10"})
    void timesHaveAUnit(String text, long millis) {
        Map<String, String> flags = enough();
        flags.put("request-timeout", text);
        assertThat(options(flags, Map.of()).get(NodeOption.REQUEST_TIMEOUT))
                .isEqualTo(Duration.ofMillis(millis));
    }

    @Test
    void everythingWrongIsReportedAtOnce() {
        Map<String, String> flags = enough();
        flags.put("port", "x");
        flags.put("nonsense", "x");
        assertThat(violations(flags, Map.of("QUORATE_DURABILITY", "x", "QUORATE_PROT", "1")))
                .satisfiesExactlyInAnyOrder(
                        one -> assertThat(one).startsWith("port=x: ").endsWith("(flag --port)."),
                        one -> assertThat(one).isEqualTo("--nonsense is not a known flag."),
                        one ->
                                assertThat(one)
                                        .startsWith("durability=x: ")
                                        .endsWith("(environment variable QUORATE_DURABILITY)."),
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
                        one ->
                                assertThat(one)
                                        .startsWith("host is 127.0.0.1, so other machines cannot"));
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
        NodeOptions options = options(flags, Map.of());
        assertThat(options.find(NodeOption.TLS_CERTIFICATE)).isEqualTo(Path.of("c"));
        assertThat(options.find(NodeOption.TLS_KEY)).isEqualTo(Path.of("k"));
        assertThat(options.find(NodeOption.TLS_CA)).isEqualTo(Path.of("ca"));
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
        assertThat(alone.find(NodeOption.TLS_KEY)).isEqualTo(Path.of("k"));
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
                .startsWith("token-file is missing: ")
                .contains(" at " + host + ",", "--insecure");
        assertThat(violations(flags, Map.of("QUORATE_INSECURE", "false"))).hasSize(1);
        assertThat(options(flags, Map.of("QUORATE_INSECURE", "true")).get(NodeOption.INSECURE))
                .isTrue();
        assertThat(options(flags, Map.of("QUORATE_TOKEN_FILE", "f")).find(NodeOption.TOKEN_FILE))
                .isEqualTo(Path.of("f"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "127.9.9.9", "localhost", "::1", "[::1]"})
    void onThisMachineANodeNeedsNone(String host) {
        Map<String, String> flags = enough();
        flags.put("host", host);
        flags.remove("insecure");
        assertThat(options(flags, Map.of()).get(NodeOption.INSECURE)).isFalse();
    }

    /** It is for clients of the command line, and may be set where nodes are started too. */
    @Test
    void theTokenOfAClientIsNoSetting() {
        assertThat(options(enough(), Map.of("QUORATE_TOKEN", "a.b")).find(NodeOption.TOKEN_FILE))
                .isNull();
    }

    @Test
    void theEffectiveConfigurationHasTheOriginOfEachValueAndMasksTheSecret() {
        files.put(Path.of("f"), "selectors=3");
        Map<String, String> flags = enough();
        flags.put("config", "f");
        Settings settings = Settings.resolve(flags, Map.of("QUORATE_PORT", "81"), this::readFile);
        String text = OptionsReader.read(settings).effective(settings);
        assertThat(text.lines().map(line -> line.replaceAll(" +", " ")))
                .hasSize(NodeOption.ALL.size())
                .contains(
                        "name n3 (flag --name)",
                        "port 81 (environment variable QUORATE_PORT)",
                        "selectors 3 (file f)",
                        "topology " + THREE + " (flag --topology)",
                        "replication-factor 3 (default)",
                        "request-timeout 1s (default)",
                        "secret ******** (flag --secret)");
        assertThat(text).doesNotContain(SECRET);
    }

    /** Whoever copies the printed values into a file gets the same node. */
    @Test
    void everyPrintedValueCanBeReadBack() {
        Settings settings = Settings.resolve(enough(), Map.of(), this::readFile);
        NodeOptions options = OptionsReader.read(settings);
        Map<String, String> again = new HashMap<>();
        for (Option<?> option : NodeOption.ALL) {
            String value = options.text(option);
            if (!value.equals("-")) {
                again.put(option.name(), value);
            }
        }
        again.put("secret", SECRET);
        NodeOptions second = options(again, Map.of());
        assertThat(second.storage()).isEqualTo(options.storage());
        assertThat(NodeOption.ALL)
                .allSatisfy(
                        option -> assertThat(second.find(option)).isEqualTo(options.find(option)));
    }

    @Test
    void aNodeThatJoinsNeedsNoTopology() {
        Map<String, String> flags =
                new HashMap<>(
                        Map.of("join", "http://a:80,https://b:81", "name", "n4", "secret", SECRET));
        assertThat(violations(flags, Map.of()))
                .containsExactly("join needs name and address: say who joins, and where it is.");
        flags.put("address", "http://127.0.0.1:82");
        NodeOptions options = options(flags, Map.of());
        assertThat(options.self().url()).hasToString("http://127.0.0.1:82");
        assertThat(options.get(NodeOption.PORT)).isEqualTo(82);
        flags.put("topology", THREE);
        flags.put("weight", "9");
        flags.put("zone", "B");
        assertThat(violations(flags, Map.of()))
                .contains("join excludes topology: the cluster has one already.");
        flags.remove("topology");
        assertThat(violations(flags, Map.of()))
                .containsExactly(
                        "With join: The zone 'B' must be written as the name of a member.");
        flags.put("join", "a");
        assertThat(violations(flags, Map.of()))
                .anyMatch(each -> each.startsWith("join=a: must be URLs of members"));
        flags.keySet().removeAll(List.of("secret", "zone", "weight"));
        flags.put("join", "http://a:80");
        assertThat(violations(flags, Map.of())).anyMatch(each -> each.startsWith("secret"));
    }

    @Test
    void onlyAFlagSaysThatTheClusterIsNew() {
        Map<String, String> flags = enough();
        flags.put("founding", "new");
        assertThat(options(flags, Map.of()).get(NodeOption.FOUNDING)).isEqualTo(FoundingChoice.NEW);
        assertThat(violations(enough(), Map.of("QUORATE_FOUNDING", "new")))
                .containsExactly(
                        "QUORATE_FOUNDING is only a flag: give --founding to the command.");
    }

    @Test
    void everyKeyHasOneNameAndIsExplained() {
        assertThat(NodeOption.ALL).extracting(Option::name).doesNotHaveDuplicates();
        assertThat(NodeOption.ALL)
                .allSatisfy(
                        option -> {
                            assertThat(option.name()).matches("[a-z]+(-[a-z]+)*");
                            assertThat(option.description())
                                    .contains(
                                            "Default: ",
                                            option.isFlagOnly() ? "Only a flag" : "Environment: ");
                        });
    }
}
