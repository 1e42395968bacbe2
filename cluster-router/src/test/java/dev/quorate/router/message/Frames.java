package dev.quorate.router.message;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import java.util.HexFormat;
import java.util.List;

/** What the tests of messages share: headers, one message of each kind, and how to compare. */
final class Frames {

    static final FrameSeal SEAL = new FrameSeal("sixteen bytes or more".getBytes(US_ASCII));
    static final FrameHeader ASK =
            new FrameHeader(
                    FrameHeader.Kind.REQUESTS,
                    Lane.WRITE,
                    0x1122334455667788L,
                    0xAABBCCDD,
                    7,
                    0x019B00000000002AL,
                    99,
                    0x0123456789ABCDEFL,
                    1500);

    static final FrameHeader REPLY = ASK.answer(FrameHeader.Kind.ANSWERS, 5, 6, 8);

    /** One request of each kind, with each optional part. */
    static final List<ReplicaRequest> REQUESTS =
            List.of(
                    new ReplicaRequest.Read(bytes("alpha")),
                    new ReplicaRequest.Write(
                            Entry.value(bytes("k"), new Timestamp(0x10000, 1), bytes("v"), 3)),
                    new ReplicaRequest.Write(
                            Entry.tombstone(bytes("gone"), new Timestamp(0x20001, -1), 2)),
                    new ReplicaRequest.Write(
                            Entry.expiring(bytes("e"), new Timestamp(-2, 3), bytes(""), 255, 77)),
                    new ReplicaRequest.ScanPage(bytes(""), null, 1),
                    new ReplicaRequest.ScanPage(bytes("a"), bytes("b"), 262144),
                    new ReplicaRequest.Read(bytes("beta")),
                    new ReplicaRequest.Read(bytes("gamma")));

    static final MemberState NEWS = MemberStates.of(0, MemberState.Condition.WHOLE, 0, 0, 0, 0);

    private Frames() {}

    static byte[] bytes(String text) {
        return text.getBytes(US_ASCII);
    }

    static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }

    static Entry tombstone(String key) {
        return Entry.tombstone(bytes(key), new Timestamp(5, 5), 1);
    }

    static void assertRefused(ReplicaRequest request, ReplicaAnswer answer) {
        byte[] frame = PeerCodec.encodeRequests(ASK, List.of(request), SEAL);
        byte[] reply = PeerCodec.encodeAnswers(REPLY, List.of(answer), FrameSeal.of(frame), SEAL);
        assertThatThrownBy(
                        () ->
                                PeerCodec.decodeReply(
                                        reply, FrameSeal.of(frame), List.of(request), SEAL))
                .isInstanceOf(MalformedFrameException.class);
    }

    static void assertSameRequests(List<ReplicaRequest> got, List<ReplicaRequest> wanted) {
        // Records of arrays compare by identity: their encodings say whether they are the same.
        assertThat(got).hasSameSizeAs(wanted);
        assertThat(hex(PeerCodec.encodeRequests(ASK, got, SEAL)))
                .isEqualTo(hex(PeerCodec.encodeRequests(ASK, wanted, SEAL)));
    }
}
