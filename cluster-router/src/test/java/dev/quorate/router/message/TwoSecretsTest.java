package dev.quorate.router.message;

import static dev.quorate.router.message.Frames.ASK;
import static dev.quorate.router.message.Frames.REPLY;
import static dev.quorate.router.message.Frames.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Seals while the secret is rotated. */
final class TwoSecretsTest {

    private static final List<ReplicaRequest> REQUESTS =
            List.of(new ReplicaRequest.Read(bytes("k")));
    private static final byte[] OLD = bytes("the secret before");
    private static final byte[] NEW = bytes("the secret after it");

    /** The contents of the file before, in and after each step. */
    private static final Map<String, FrameSeal> STEPS =
            Map.of(
                    "old", new FrameSeal(OLD),
                    "old,new", new FrameSeal(OLD, new FrameSeal(NEW)),
                    "new,old", new FrameSeal(NEW, new FrameSeal(OLD)),
                    "new", new FrameSeal(NEW));

    private static String first(String step) {
        return step.split(",", -1)[0];
    }

    @Test
    void aNodeAcceptsWhatItsSecretsHaveSealedAndIsUnderstoodByTheAsker() throws Exception {
        for (String asking : STEPS.keySet()) {
            FrameSeal asker = STEPS.get(asking);
            byte[] frame = PeerCodec.encodeRequests(ASK, REQUESTS, asker);
            for (String asked : STEPS.keySet()) {
                String pair = asking + " asks " + asked;
                if (!List.of(asked.split(",", -1)).contains(first(asking))) {
                    assertThatThrownBy(() -> PeerCodec.openRequests(frame, STEPS.get(asked)))
                            .as(pair)
                            .hasMessage("the seal does not match");
                    continue;
                }
                PeerCodec.Opened opened = PeerCodec.openRequests(frame, STEPS.get(asked));
                assertThat(opened.header()).as(pair).isEqualTo(ASK);
                byte[] reply =
                        PeerCodec.encodeAnswers(
                                REPLY,
                                List.of(ReplicaAnswer.Absent.ABSENT),
                                FrameSeal.of(frame),
                                opened.seal());
                assertThat(PeerCodec.decodeReply(reply, FrameSeal.of(frame), REQUESTS, asker))
                        .as(pair)
                        .isInstanceOf(PeerCodec.Reply.Answers.class);
            }
        }
    }

    @Test
    void anAnswerOfTheOtherSecretIsRefused() {
        FrameSeal asker = STEPS.get("new,old");
        byte[] frame = PeerCodec.encodeRequests(ASK, REQUESTS, asker);
        byte[] reply =
                PeerCodec.encodeAnswers(
                        REPLY,
                        List.of(ReplicaAnswer.Absent.ABSENT),
                        FrameSeal.of(frame),
                        STEPS.get("old"));
        assertThatThrownBy(() -> PeerCodec.decodeReply(reply, FrameSeal.of(frame), REQUESTS, asker))
                .hasMessageContaining("seal does not match");
    }

    @Test
    void aForgedFrameIsRefusedByAll() {
        byte[] frame =
                PeerCodec.encodeRequests(ASK, REQUESTS, new FrameSeal(bytes("a guessed secret")));
        STEPS.forEach(
                (step, seal) ->
                        assertThatThrownBy(() -> PeerCodec.openRequests(frame, seal))
                                .as(step)
                                .hasMessage("the seal does not match"));
    }
}
