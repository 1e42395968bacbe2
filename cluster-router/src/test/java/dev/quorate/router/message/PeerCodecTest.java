package dev.quorate.router.message;

import static dev.quorate.router.message.Frames.ASK;
import static dev.quorate.router.message.Frames.REPLY;
import static dev.quorate.router.message.Frames.REQUESTS;
import static dev.quorate.router.message.Frames.SEAL;
import static dev.quorate.router.message.Frames.assertSameRequests;
import static dev.quorate.router.message.Frames.bytes;
import static dev.quorate.router.message.Frames.hex;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quorate.router.Seed;
import dev.quorate.router.message.MalformedFrameException.Kind;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Frames of messages: what is encoded is decoded, and what was changed is noticed. */
final class PeerCodecTest {

    @Test
    void encodedMessagesDecodeToThemselves() throws Exception {
        RandomGenerator random = Seed.random("PeerCodecTest.encodedMessagesDecodeToThemselves");
        Messages messages = new Messages(random);
        for (int i = 0; i < 500; i++) {
            List<ReplicaRequest> requests = messages.requests(20);
            byte[] frame = PeerCodec.encodeRequests(ASK, requests, SEAL);
            int expectedBytes =
                    PeerCodec.OVERHEAD_BYTES
                            + requests.stream().mapToInt(PeerCodec::requestBytes).sum();
            assertThat(frame).hasSize(expectedBytes);
            PeerCodec.openRequests(frame, SEAL);
            assertSameRequests(PeerCodec.decodeRequests(frame), requests);

            List<@Nullable ReplicaAnswer> answers = new ArrayList<>();
            requests.forEach(request -> answers.add(messages.answer(request)));
            byte[] reply = PeerCodec.encodeAnswers(REPLY, answers, FrameSeal.of(frame), SEAL);
            assertPartsAreTheWhole(answers, FrameSeal.of(frame), reply);
            PeerCodec.Reply decoded =
                    PeerCodec.decodeReply(reply, FrameSeal.of(frame), requests, SEAL);
            // Records of arrays compare by identity.
            assertThat(
                            hex(
                                    PeerCodec.encodeAnswers(
                                            decoded.header(),
                                            ((PeerCodec.Reply.Answers) decoded).answers(),
                                            FrameSeal.of(frame),
                                            SEAL)))
                    .isEqualTo(hex(reply));
        }
    }

    private static void assertPartsAreTheWhole(
            List<@Nullable ReplicaAnswer> answers, byte[] requestSeal, byte[] reply) {
        for (int i = 0; i < answers.size(); i++) {
            if (answers.get(i) instanceof ReplicaAnswer.Found found
                    && !found.entry().isTombstone()) {
                List<byte[]> parts =
                        PeerCodec.encodeAnswersAround(i, REPLY, answers, requestSeal, SEAL);
                assertThat(parts).hasSize(3);
                assertThat(parts.get(1)).isSameAs(found.entry().value());
                assertThat(hex(parts.get(0)) + hex(parts.get(1)) + hex(parts.get(2)))
                        .isEqualTo(hex(reply));
            }
        }
    }

    @Test
    void aTextOfAnyCharactersHasItsLength() throws Exception {
        List<ReplicaRequest> requests = List.of(new ReplicaRequest.Read(bytes("k")));
        byte[] frame = PeerCodec.encodeRequests(ASK, requests, SEAL);
        List<ReplicaAnswer> answers =
                List.of(
                        new ReplicaAnswer.Failed(
                                Failure.FAILED, "\ud83d\ude00 ü\n" + "x".repeat(999)));
        byte[] reply = PeerCodec.encodeAnswers(REPLY, answers, FrameSeal.of(frame), SEAL);
        assertThat(PeerCodec.decodeReply(reply, FrameSeal.of(frame), requests, SEAL))
                .isEqualTo(
                        new PeerCodec.Reply.Answers(
                                REPLY,
                                List.of(
                                        new ReplicaAnswer.Failed(
                                                Failure.FAILED, "?? ??" + "x".repeat(251)))));
    }

    @Test
    void aChangedByteAnywhereIsNoticed() {
        byte[] frame = PeerCodec.encodeRequests(ASK, REQUESTS, SEAL);
        for (int i = 0; i < frame.length; i++) {
            byte[] changed = frame.clone();
            changed[i] ^= 1;
            assertThatThrownBy(() -> PeerCodec.openRequests(changed, SEAL))
                    .isInstanceOf(MalformedFrameException.class);
        }
    }

    @Test
    void aFrameCutAnywhereIsNoticed() {
        byte[] frame = PeerCodec.encodeRequests(ASK, REQUESTS, SEAL);
        for (int length = 0; length < frame.length; length++) {
            byte[] cut = Arrays.copyOf(frame, length);
            assertThatThrownBy(() -> PeerCodec.openRequests(cut, SEAL))
                    .isInstanceOf(MalformedFrameException.class);
        }
    }

    @Test
    void anotherSecretOrVersionIsNamed() {
        byte[] frame = PeerCodec.encodeRequests(ASK, REQUESTS, SEAL);
        FrameSeal other = new FrameSeal("another sixteen bytes".getBytes(US_ASCII));
        assertThat(kindOf(frame, other)).isEqualTo(Kind.SEAL);
        frame[FrameHeader.VERSION_OFFSET] = FrameHeader.VERSION + 1;
        assertThat(kindOf(frame, SEAL)).isEqualTo(Kind.VERSION);
        frame[0] = 0;
        assertThat(kindOf(frame, SEAL)).isEqualTo(Kind.MALFORMED);
    }

    private static @Nullable Kind kindOf(byte[] frame, FrameSeal seal) {
        try {
            PeerCodec.openRequests(frame, seal);
            return null;
        } catch (MalformedFrameException e) {
            return e.kind();
        }
    }

    @Test
    void anAnswerFitsOneRequestAlone() throws Exception {
        List<ReplicaRequest> requests = List.of(new ReplicaRequest.Read(bytes("k")));
        List<ReplicaAnswer> answers = List.of(ReplicaAnswer.Absent.ABSENT);
        byte[] request = PeerCodec.encodeRequests(ASK, requests, SEAL);
        byte[] reply = PeerCodec.encodeAnswers(REPLY, answers, FrameSeal.of(request), SEAL);
        FrameHeader later =
                new FrameHeader(
                        ASK.kind(),
                        ASK.lane(),
                        ASK.fingerprint(),
                        ASK.sender(),
                        ASK.recipient(),
                        ASK.clock(),
                        ASK.exchange() + 1,
                        ASK.life(),
                        ASK.remainingMillis());
        byte[] laterRequest = PeerCodec.encodeRequests(later, requests, SEAL);
        assertThat(PeerCodec.decodeReply(reply, FrameSeal.of(request), requests, SEAL)).isNotNull();
        assertThatThrownBy(
                        () ->
                                PeerCodec.decodeReply(
                                        reply, FrameSeal.of(laterRequest), requests, SEAL))
                .isInstanceOf(MalformedFrameException.class)
                .hasMessageContaining("seal");
        assertThatThrownBy(
                        () -> PeerCodec.decodeReply(request, FrameSeal.of(request), requests, SEAL))
                .as("a request sent back")
                .isInstanceOf(MalformedFrameException.class);
        assertThatThrownBy(() -> PeerCodec.openRequests(reply, SEAL))
                .as("an answer sent as a request")
                .isInstanceOf(MalformedFrameException.class);
    }

    /** What a node with the secret but with a bug, or with malice, may send. */
    @Test
    void sealedNonsenseIsRefusedWithoutHarm() {
        RandomGenerator random = Seed.random("PeerCodecTest.sealedNonsense");
        Messages messages = new Messages(random);
        int refused = 0;
        for (int i = 0; i < 20_000; i++) {
            List<ReplicaRequest> requests = messages.requests(6);
            byte[] request = PeerCodec.encodeRequests(ASK, requests, SEAL);
            List<@Nullable ReplicaAnswer> answers = new ArrayList<>();
            requests.forEach(r -> answers.add(messages.answer(r)));
            byte[] reply = PeerCodec.encodeAnswers(REPLY, answers, FrameSeal.of(request), SEAL);

            byte[] mangledRequest = mangle(request, random);
            SEAL.seal(mangledRequest);
            byte[] mangledReply = mangle(reply, random);
            SEAL.sealAnswer(mangledReply, FrameSeal.of(request));
            try {
                PeerCodec.openRequests(mangledRequest, SEAL);
                PeerCodec.decodeRequests(mangledRequest);
                PeerCodec.decodeReply(mangledReply, FrameSeal.of(request), requests, SEAL);
            } catch (MalformedFrameException e) {
                refused++;
            }
        }
        assertThat(refused).isGreaterThan(10_000);
    }

    /** Changes bytes, cuts, grows, or plants a huge length. */
    private static byte[] mangle(byte[] frame, RandomGenerator random) {
        byte[] mangled = frame.clone();
        switch (random.nextInt(4)) {
            case 0 -> {
                for (int i = random.nextInt(1, 5); i > 0; i--) {
                    mangled[random.nextInt(mangled.length)] = (byte) random.nextInt();
                }
            }
            case 1 ->
                    mangled =
                            Arrays.copyOf(
                                    mangled, random.nextInt(FrameSeal.BYTES, mangled.length + 1));
            case 2 -> mangled = Arrays.copyOf(mangled, mangled.length + random.nextInt(1, 50));
            default -> {
                int[] lengths = {Integer.MAX_VALUE, Integer.MIN_VALUE, -1, 0, 1 << 28, 4096};
                ByteBuffer.wrap(mangled)
                        .putInt(
                                random.nextInt(mangled.length - 3),
                                lengths[random.nextInt(lengths.length)]);
            }
        }
        return mangled;
    }
}
