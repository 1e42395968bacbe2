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
        return AccessToken.issue(name, role, bytes(prefix), random);
    }

    private static Authentication.Result identify(AccessTokens tokens, @Nullable String header) {
        return Authentication.by(() -> tokens).of(header, false);
    }

    @Test
    void aFileGivesBackWhatWasWritten() throws Exception {
        AccessToken.Issued reader = issue("reader", Role.READ, "user/\u00ff *");
        AccessToken.Issued admin = issue("ops", Role.ADMIN, "");
        AccessTokens tokens = AccessTokens.none().with(reader.token()).with(admin.token());
        AccessTokens again = AccessTokens.parse(tokens.bytes());
        assertThat(again.bytes()).isEqualTo(tokens.bytes());
        assertThat(again.all().stream().map(AccessToken::name)).containsExactly("reader", "ops");
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
                "a read * DIGEST rate=1    | its field 'rate' is not known",
                "a read * DIGEST bytes-rate=10MiB | its field 'bytes-rate' is not known",
                "a read * DIGEST ranges=4 rate=1 | its field 'ranges' is not known",
                "a read * DIGEST more      | its field '' is not known",
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
