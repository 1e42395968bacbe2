package dev.quorate.node.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class AccessTokensTest {

    private static final String DIGEST = "0123456789abcdef".repeat(4);

    private final RandomGenerator random = new Random(36);

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    private AccessToken.Issued issue(String name, Role role, String prefix) throws Exception {
        return AccessToken.issue(name, role, bytes(prefix), Shares.NONE, random);
    }

    private static Authentication.Result identify(AccessTokens tokens, @Nullable String header) {
        return Authentication.by(() -> tokens).of(header, false);
    }

    @Test
    void aFileGivesBackWhatWasWritten() throws Exception {
        AccessToken.Issued reader = issue("reader", Role.READ, "user/\u00ff *");
        AccessToken.Issued admin = issue("ops", Role.ADMIN, "");
        AccessToken.Issued slow =
                AccessToken.issue(
                        "slow", Role.READ, bytes("p"), new Shares(70, 10 << 20, 4), random);
        AccessTokens tokens =
                AccessTokens.none().with(reader.token()).with(admin.token()).with(slow.token());
        AccessTokens again = AccessTokens.parse(tokens.bytes());
        assertThat(again.bytes()).isEqualTo(tokens.bytes());
        assertThat(again.all().stream().map(AccessToken::name))
                .containsExactly("reader", "ops", "slow");
        assertThat(again.caller(slow.text()).shares()).isEqualTo(new Shares(70, 10 << 20, 4));
        assertThat(new String(tokens.bytes(), StandardCharsets.US_ASCII))
                .contains(" rate=70 bytes-rate=10MiB ranges=4\n");
        Caller caller = again.caller(reader.text());
        assertThat(caller).isNotNull();
        assertThat(caller.role()).isEqualTo(Role.READ);
        assertThat(caller.mayUse(bytes("user/\u00ff *x"))).isTrue();
        assertThat(caller.mayUse(bytes("user/\u00ff"))).isFalse();
        assertThat(new String(tokens.bytes(), StandardCharsets.US_ASCII))
                .doesNotContain(reader.text().substring(reader.text().indexOf('.') + 1));
    }

    /** Otherwise a file that is being written would take tokens away, or give them to nobody. */
    @Test
    void everyBeginningOfAFileIsIncomplete() throws Exception {
        AccessTokens tokens =
                AccessTokens.none()
                        .with(issue("a", Role.READ, "").token())
                        .with(issue("b", Role.WRITE, "p").token());
        byte[] whole = tokens.bytes();
        for (int length = 0; length < whole.length - 1; length++) {
            byte[] part = Arrays.copyOf(whole, length);
            assertThat(catchThrowable(() -> AccessTokens.parse(part)))
                    .as("%d bytes", length)
                    .isInstanceOf(InvalidTokensException.class);
        }
        assertThat(AccessTokens.parse(AccessTokens.none().bytes()).all()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "a read *                  | does not have name, role, prefix and digest",
                "a read * DIGEST rate=1 x  | is not rate=N, bytes-rate=N or ranges=N",
                "a read * DIGEST rate=1 rate=1 | it has rate= twice",
                "a read * DIGEST rate=1 ranges=2 rate=1 | it has rate= twice",
                "a read * DIGEST more      | is not rate=N",
                "a read * DIGEST rate=     | A rate is 1 to 1000000",
                "a read * DIGEST rate=0    | A rate is 1 to 1000000",
                "a read * DIGEST rate=-1   | A rate is 1 to 1000000",
                "a read * DIGEST rate=99999999 | A rate is 1 to 1000000",
                "a read * DIGEST rate=9999999 | A rate is 1 to 1000000",
                "a reader * DIGEST         | role is none of",
                "a READ * DIGEST           | role is none of",
                "A read * DIGEST           | A token's name has",
                "-a read * DIGEST          | A token's name has",
                "a.b read * DIGEST         | A token's name has",
                "a read * DIGEST0          | does not have 64 hexadecimal digits",
                "a read %4 DIGEST          | not percent-encoded",
                "a admin p DIGEST          | has no prefix",
            })
    void aBadLineIsRefusedWithItsNumber(String line, String why) {
        String file = "# one\n" + line.replace("DIGEST", DIGEST) + "\ntokens 1\n";
        assertThatThrownBy(() -> AccessTokens.parse(bytes(file)))
                .isInstanceOf(InvalidTokensException.class)
                .hasMessageContaining("line 2")
                .hasMessageContaining(why)
                .hasMessageNotContaining(DIGEST);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a read * D\na read * D\ntokens 2\n",
                "a read * D\ntokens 2\n",
                "tokens 1\na read * D\n",
                "tokens 0\ntokens 0\n",
                "a read * D\u00ff\ntokens 1\n",
                "tokens +0\n"
            })
    void aBadFileIsRefused(String file) {
        assertThatThrownBy(() -> AccessTokens.parse(bytes(file.replace("D", DIGEST))))
                .isInstanceOf(InvalidTokensException.class);
    }

    /** A file of nodes that knew no more, and one with some words only. */
    @ParameterizedTest
    @CsvSource({"'', 0, 0, 0", "rate=7, 7, 0, 0", "ranges=2 rate=9, 9, 0, 2"})
    void sharesMayBeMissing(String words, int requests, long bytes, int ranges) throws Exception {
        String file = "a read * " + DIGEST + " " + words + "\ntokens 1\n";
        assertThat(AccessTokens.parse(bytes(file)).all().getFirst().caller().shares())
                .isEqualTo(new Shares(requests, bytes, ranges));
    }

    /** Whoever has the file changed must not get every token's shares anew. */
    @Test
    void whatWasTakenOfASharesOutlivesTheFile() throws Exception {
        AccessToken.Issued issued =
                AccessToken.issue("a", Role.READ, bytes(""), new Shares(5, 64 << 10, 2), random);
        AccessTokens before = AccessTokens.none().with(issued.token());
        Caller caller = before.caller(issued.text());
        caller.spendRequests(5, 1);
        caller.spendBytes(128 << 10, 1);
        assertThat(caller.tryOpenRange()).isTrue();
        AccessTokens after =
                AccessTokens.parse(before.with(issue("b", Role.READ, "").token()).bytes());
        assertThat(after.caller(issued.text()).takeRequest(1)).as("without the past").isZero();
        Caller again = after.continuing(before).caller(issued.text());
        assertThat(again.takeRequest(1)).isPositive();
        assertThat(again.bytesWaitNanos(1)).isPositive();
        assertThat(again.tryOpenRange()).isTrue();
        assertThat(again.tryOpenRange()).isFalse();
        caller.closeRange();
        assertThat(again.tryOpenRange()).as("closed by its old name").isTrue();
        String fewer = new String(before.bytes(), StandardCharsets.US_ASCII);
        Caller changed =
                AccessTokens.parse(bytes(fewer.replace("ranges=2", "ranges=1")))
                        .continuing(after.continuing(before))
                        .caller(issued.text());
        assertThat(changed.tryOpenRange()).isFalse();
        again.closeRange();
        again.closeRange();
        assertThat(changed.tryOpenRange()).isTrue();
    }

    @Test
    void aTokenHas256RandomBits() throws Exception {
        AccessToken.Issued first = issue("a", Role.READ, "");
        String secret = first.text().substring(2);
        assertThat(Base64.getUrlDecoder().decode(secret)).hasSize(32);
        assertThat(issue("a", Role.READ, "").text()).isNotEqualTo(first.text());
    }

    @Test
    void nothingButTheWholeTextIsKnown() throws Exception {
        AccessToken.Issued a = issue("a", Role.READ, "");
        AccessToken.Issued b = issue("b", Role.WRITE, "");
        AccessTokens tokens = AccessTokens.none().with(a.token()).with(b.token());
        String secret = a.text().substring(2);
        for (String text :
                List.of(
                        "",
                        ".",
                        "a",
                        "a.",
                        secret,
                        "b." + secret,
                        "c." + secret,
                        a.text() + "x",
                        a.text() + " ",
                        a.text().substring(0, a.text().length() - 1),
                        "A." + secret)) {
            assertThat(tokens.caller(text)).as(text).isNull();
        }
        assertThat(tokens.caller(a.text())).isNotNull();
        assertThat(tokens.without("a").caller(a.text())).isNull();
    }

    @Test
    void bearerAndBasicAreUnderstood() throws Exception {
        AccessToken.Issued a = issue("a", Role.READ, "");
        AccessTokens tokens = AccessTokens.none().with(a.token());
        String basic = Base64.getEncoder().encodeToString(bytes("anybody:" + a.text()));
        for (String header :
                List.of(
                        "Bearer " + a.text(),
                        "bearer  " + a.text(),
                        "Basic " + basic,
                        "BASIC " + basic)) {
            assertThat(identify(tokens, header))
                    .as(header)
                    .isInstanceOf(Authentication.Result.Known.class);
        }
        for (String header :
                List.of(
                        "Bearer x",
                        "Basic " + a.text(),
                        "Basic " + Base64.getEncoder().encodeToString(bytes(a.text())),
                        "Basic !",
                        "Bearer " + a.text() + "x".repeat(600))) {
            assertThat(identify(tokens, header))
                    .as(header)
                    .isInstanceOf(Authentication.Result.Wrong.class);
        }
        for (@Nullable String header : new String[] {null, "", "Digest x", "Bearer"}) {
            assertThat(identify(tokens, header))
                    .as(header)
                    .isInstanceOf(Authentication.Result.Missing.class);
        }
        assertThat(Authentication.by(() -> tokens).of("Bearer " + a.text(), true))
                .isInstanceOf(Authentication.Result.Wrong.class);
    }

    @Test
    void rolesIncludeThoseBeforeThem() {
        assertThat(Role.READ.includes(Role.READ)).isTrue();
        assertThat(Role.READ.includes(Role.WRITE)).isFalse();
        assertThat(Role.WRITE.includes(Role.READ)).isTrue();
        assertThat(Role.WRITE.includes(Role.ADMIN)).isFalse();
        assertThat(Role.ADMIN.includes(Role.WRITE)).isTrue();
        for (Role have : Role.values()) {
            assertThat(Role.of(have.text())).isEqualTo(have);
        }
    }
}
