package dev.quorate.cli.client;

import static dev.quorate.cli.client.PretendedNode.answer;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import dev.quorate.node.config.NodeOptions;
import dev.quorate.node.config.OptionsReader;
import dev.quorate.node.config.Secret;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code ./quorate node --join}: what it asks of the members, and when it gives up. */
final class JoinRunTest {

    private static final String RING =
            "{\"self\":\"n1\",\"cluster\":\"5d1c1f0e-8a3b-4c6d-9e7f-0a1b2c3d4e5f\",\"epoch\":7,"
                    + "\"replication\":1,\"members\":[{\"name\":\"n1\",\"url\":\"http://127.0.0.1:1\"}]}";

    @TempDir Path data;

    private final Deque<String> answers = new ArrayDeque<>();

    private PretendedNode member() throws IOException {
        PretendedNode member = new PretendedNode(asked -> answers.removeFirst());
        member.ring = answer("200 OK", RING);
        return member;
    }

    private JoinRun joining(PretendedNode member, String address) {
        NodeOptions options =
                OptionsReader.read(
                        new HashMap<>(
                                Map.of(
                                        "join",
                                        member.url(),
                                        "name",
                                        "n4",
                                        "address",
                                        address,
                                        "zone",
                                        "b",
                                        "weight",
                                        "1.5",
                                        "secret",
                                        "a-long-enough-secret",
                                        "data",
                                        data.toString())));
        return new JoinRun(options, List.of(member.url()));
    }

    @Test
    void aNodeAsksUntilTheMembersTakeIt() throws Exception {
        try (PretendedNode member = member()) {
            answers.add(answer("409 Conflict", "{\"detail\":\"Another change\"}"));
            answers.add(answer("200 OK", "cluster"));
            JoinRun joining = joining(member, "http://127.0.0.1:4");
            assertThat(joining.prepared().topology().canonicalText())
                    .endsWith(";n1=http://127.0.0.1:1,n4/b*1.50=http://127.0.0.1:4");
            joining.await();
            assertThat(member.asked).hasSize(2);
            String target = member.asked.getLast().target();
            assertThat(target)
                    .startsWith("/v0/join?name=n4&url=http://127.0.0.1:4&zone=b&weight=150&free=");
            String query = target.substring(target.indexOf('?') + 1);
            String seal = new Secret("a-long-enough-secret").sealOfJoin("\"7\"", query);
            assertThat(member.asked.getLast().headers())
                    .containsEntry("if-match", "\"7\"")
                    .containsEntry("join-seal", seal);
        }
    }

    @Test
    void aRefusalForGoodEndsIt() throws Exception {
        try (PretendedNode member = member()) {
            answers.add(answer("403 Forbidden", "{\"detail\":\"no token\"}"));
            JoinRun joining = joining(member, "http://127.0.0.1:4");
            var _ = joining.prepared();
            assertThatIOException().isThrownBy(joining::await).withMessageContaining("403");
        }
    }

    @Test
    void aMemberThatLostItsDirectoryAsksForNothing() throws Exception {
        try (PretendedNode member = member()) {
            member.ring = answer("200 OK", RING.replace("n1\",\"url", "n4\",\"url"));
            JoinRun joining = joining(member, "http://127.0.0.1:1");
            var _ = joining.prepared();
            joining.await();
            assertThat(member.asked).isEmpty();
        }
    }

    @Test
    void theNameOfAnotherMemberIsRefused() throws Exception {
        try (PretendedNode member = member()) {
            member.ring = answer("200 OK", RING.replace("n1\",\"url", "n4\",\"url"));
            assertThatIOException()
                    .isThrownBy(joining(member, "http://127.0.0.1:4")::prepared)
                    .withMessageContaining("a member 'n4' at http://127.0.0.1:1");
        }
    }

    @Test
    void aClusterThatIsNotFoundedCannotBeJoined() throws Exception {
        try (PretendedNode member = member()) {
            member.ring = answer("200 OK", RING.replaceFirst("\"cluster\":[^,]*,", ""));
            assertThatIOException()
                    .isThrownBy(joining(member, "http://127.0.0.1:4")::prepared)
                    .withMessageContaining("has not founded its cluster yet");
            member.ring = answer("503 Service Unavailable", "");
            assertThatIOException()
                    .isThrownBy(joining(member, "http://127.0.0.1:4")::prepared)
                    .withMessageContaining("answers 503");
        }
    }
}
