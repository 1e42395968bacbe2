package dev.quorate.router.token;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.hash.Hashing;
import dev.quorate.router.Seeded;
import dev.quorate.router.Topologies;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.junit.jupiter.api.Test;

class TokenTest {

    @Test
    void isTheFirst64BitsOfMurmur3() {
        Seeded.forAll(
                "first 64 bits",
                1_000,
                random -> {
                    byte[] key = Topologies.randomKey(random);
                    byte[] hash = Hashing.murmur3_128().hashBytes(key).asBytes();
                    long first = ByteBuffer.wrap(hash).order(ByteOrder.LITTLE_ENDIAN).getLong();
                    assertThat(Token.hash(key)).isEqualTo(first);
                    assertThat(Token.ofKey(key)).isEqualTo(new Token(first));
                });
    }

    /**
     * Tokens determine the placement of data. A change would lose every key of every running
     * cluster.
     */
    @Test
    void neverChanges() {
        assertThat(Token.ofKey(new byte[0])).hasToString("0000000000000000");
        assertThat(Token.ofKey("hello".getBytes(UTF_8))).hasToString("cbd8a7b341bd9b02");
        assertThat(Token.ofKey(new byte[] {(byte) 0xFF})).hasToString("47da3778a4e290ec");
    }

    @Test
    void sortsLikeItsText() {
        List<Token> ordered =
                List.of(
                        new Token(0),
                        new Token(1),
                        new Token(Long.MAX_VALUE),
                        new Token(Long.MIN_VALUE),
                        new Token(-1));
        assertThat(ordered).isSorted();
        assertThat(ordered.stream().map(Token::toString).toList()).isSorted();
    }
}
