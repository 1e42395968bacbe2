package dev.quorate.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Which node is asked first. */
final class EndpointsTest {

    private static final long SECOND = 1_000_000_000L;
    private static final Request.Attempt BROKEN = new Request.Attempt.NotReached("gone");
    private static final Request.Attempt FINE =
            new Request.Attempt.Answered(200, null, false, null, 0, new byte[0]);

    private final Endpoints endpoints =
            new Endpoints(
                    List.of(
                            URI.create("http://a:1"),
                            URI.create("http://b:1"),
                            URI.create("http://c:1")));

    private Set<Endpoints.Endpoint> firstChoices(byte[] key, int from, long now) {
        Set<Endpoints.Endpoint> first = new HashSet<>();
        for (int random = 0; random < 12; random++) {
            first.add(endpoints.choose(key, from, Set.of(), now, random));
        }
        return first;
    }

    private void learn(List<String> members, Endpoints.Endpoint... ofMembers) throws Exception {
        for (int i = 0; i < ofMembers.length; i++) {
            endpoints.learn(ofMembers[i], members.get(i), Ring.Shape.checked(3, 64, members));
        }
    }

    @Test
    void anOwnerIsAskedFirst() throws Exception {
        List<Endpoints.Endpoint> all = endpoints.all();
        List<String> members = List.of("n1", "n2", "n3");
        assertThat(firstChoices(new byte[] {1}, 1, 0)).hasSize(3);
        learn(members, all.get(0), all.get(1), all.get(2));
        Ring ring = new Ring(Ring.Shape.checked(3, 64, members));
        for (byte key = 0; key < 20; key++) {
            byte[] bytes = {key};
            String owner = ring.owners(bytes, 1).get(0);
            Endpoints.Endpoint expected = all.get(members.indexOf(owner));
            assertThat(firstChoices(bytes, 1, 0)).containsExactly(expected);
            assertThat(firstChoices(bytes, 2, 0)).hasSize(2).contains(expected);
            assertThat(firstChoices(bytes, 0, 0)).hasSize(3);
        }
    }

    @Test
    void anOwnerThatIsDownIsPassedOver() throws Exception {
        List<Endpoints.Endpoint> all = endpoints.all();
        learn(List.of("n1", "n2", "n3"), all.get(0), all.get(1), all.get(2));
        Endpoints.Endpoint owner = endpoints.choose(new byte[] {1}, 1, Set.of(), 0, 0);
        endpoints.note(owner, BROKEN, 0);
        assertThat(firstChoices(new byte[] {1}, 1, 0)).hasSize(2).doesNotContain(owner);
        assertThat(firstChoices(new byte[] {1}, 1, SECOND)).containsExactly(owner);
        // It is asked where all others have been.
        Set<Endpoints.Endpoint> others = new HashSet<>(all);
        others.remove(owner);
        assertThat(endpoints.choose(new byte[] {1}, 1, others, 0, 0)).isEqualTo(owner);
        assertThat(endpoints.choose(new byte[] {1}, 1, Set.copyOf(all), 0, 0)).isNull();
    }

    @Test
    void whoIsDownIsRememberedForATimeThatGrowsAndIsBounded() {
        Endpoints.Endpoint node = endpoints.all().get(0);
        long now = 0;
        for (int i = 0; i < 70; i++) {
            endpoints.note(node, BROKEN, now);
            now += 1;
        }
        assertThat(firstChoices(null, 0, now + 14 * SECOND)).doesNotContain(node);
        assertThat(firstChoices(null, 0, now + 15 * SECOND)).contains(node);
        endpoints.note(node, FINE, now);
        assertThat(firstChoices(null, 0, now)).contains(node);
    }

    @Test
    void whileNodesDifferThereIsNoRing() throws Exception {
        List<Endpoints.Endpoint> all = endpoints.all();
        learn(List.of("n1", "n2", "n3"), all.get(0), all.get(1), all.get(2));
        assertThat(endpoints.knowsRing()).isTrue();
        Ring.Shape other = Ring.Shape.checked(3, 64, List.of("n1", "n2", "n4"));
        endpoints.learn(all.get(0), "n1", other);
        assertThat(endpoints.knowsRing()).isFalse();
        endpoints.learn(all.get(1), "n2", other);
        endpoints.learn(all.get(2), "n4", other);
        assertThat(endpoints.knowsRing()).isTrue();
    }
}
