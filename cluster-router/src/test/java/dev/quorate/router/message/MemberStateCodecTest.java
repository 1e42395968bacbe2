package dev.quorate.router.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quorate.router.message.MemberState.Condition;
import dev.quorate.router.message.MemberState.Load;
import dev.quorate.router.message.MemberState.PeerView;
import dev.quorate.storage.format.FieldWriter;
import dev.quorate.storage.format.MalformedException;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How a member sees the others, in its state. */
final class MemberStateCodecTest {

    private static final int VIEW_BYTES = 5;
    private static final int LOAD_BYTES = 2 + "0.1.0".length() + 3 * 4;

    private static MemberState seeing(List<PeerView> views) {
        return new MemberState(
                1,
                9,
                7,
                9,
                Condition.WHOLE,
                2,
                2,
                2,
                2,
                3,
                4,
                5,
                0,
                0,
                List.of(),
                views,
                new Load("0.1.0", 7, 8, 9));
    }

    private static ByteBuffer encoded(MemberState state) {
        return ByteBuffer.wrap(FieldWriter.bytesOf(to -> MemberStateCodec.encode(state, to)));
    }

    @Test
    void viewsComeBack() {
        MemberState state =
                seeing(
                        List.of(
                                new PeerView(-1, PeerStanding.REFUSED),
                                new PeerView(7, PeerStanding.UP)));
        assertThat(MemberStateCodec.decode(encoded(state))).isEqualTo(state);
    }

    @Test
    void anUnknownStandingTooManyAndTooFewAreMalformed() {
        MemberState state = seeing(List.of(new PeerView(7, PeerStanding.UP)));
        ByteBuffer unknown = encoded(state);
        unknown.put(unknown.limit() - LOAD_BYTES - 1, (byte) 4);
        assertThatThrownBy(() -> MemberStateCodec.decode(unknown))
                .isInstanceOf(MalformedException.class)
                .hasMessageContaining("standing 4");
        ByteBuffer cutOff = encoded(state);
        cutOff.limit(cutOff.limit() - 1);
        assertThatThrownBy(() -> MemberStateCodec.decode(cutOff))
                .isInstanceOf(MalformedException.class);
        ByteBuffer most =
                encoded(seeing(Collections.nCopies(128, new PeerView(7, PeerStanding.UP))));
        ByteBuffer tooMany = ByteBuffer.allocate(most.limit() + VIEW_BYTES).put(most);
        tooMany.put(most.limit() - LOAD_BYTES - 128 * VIEW_BYTES - 1, (byte) 129).rewind();
        assertThatThrownBy(() -> MemberStateCodec.decode(tooMany))
                .isInstanceOf(MalformedException.class)
                .hasMessageContaining("a list of 129");
    }

    @Test
    void anImpossibleLoadIsMalformed() {
        MemberState state = seeing(List.of());
        ByteBuffer negative = encoded(state);
        negative.putInt(negative.limit() - 4, -1);
        assertThatThrownBy(() -> MemberStateCodec.decode(negative))
                .isInstanceOf(MalformedException.class)
                .hasMessageContaining("a load of");
        ByteBuffer known = encoded(state);
        byte[] text = new byte[known.limit() - LOAD_BYTES];
        known.get(text);
        ByteBuffer longVersion = ByteBuffer.allocate(text.length + 2 + Load.MAX_VERSION + 1 + 12);
        longVersion.put(text).putShort((short) (Load.MAX_VERSION + 1)).rewind();
        assertThatThrownBy(() -> MemberStateCodec.decode(longVersion))
                .isInstanceOf(MalformedException.class)
                .hasMessageContaining("a load of");
    }
}
