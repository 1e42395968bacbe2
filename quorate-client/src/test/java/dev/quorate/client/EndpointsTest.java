package dev.quorate.client;

import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Which node is asked first. */
final class EndpointsTest {

    private static final byte[] KEY = {1};
    private static final long SECOND = 1_000_000_000L;
    private static final Request.Attempt BROKEN = new Request.Attempt.NotReached("gone");
    private static final Request.Attempt FINE =
            new Request.Attempt.Answered(
                    200, null, false, null, null, 0, null, List.of(), new byte[0]);

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
            endpoints.learn(ofMembers[i], page(members.get(i), 0, members));
        }
    }

    private static Endpoints.RingPage page(String self, long epoch, List<String> members)
            throws Exception {
        Map<String, URI> urls =
                members.stream().collect(toMap(n -> n, n -> URI.create("http://new-" + n + ":1")));
        return new Endpoints.RingPage(
                self, epoch == 0 ? "" : "c", epoch, Ring.Shape.checked(3, 64, members), urls);
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
        List<String> other = List.of("n1", "n2", "n4");
        endpoints.learn(all.get(0), page("n1", 0, other));
        assertThat(endpoints.knowsRing()).isFalse();
        endpoints.learn(all.get(1), page("n2", 0, other));
        endpoints.learn(all.get(2), page("n4", 0, other));
        assertThat(endpoints.knowsRing()).isTrue();
    }

    @Test
    void theLatestEpochWinsAndNoOlderOneReplacesIt() throws Exception {
        List<Endpoints.Endpoint> all = endpoints.all();
        List<String> before = List.of("n1", "n2", "n3");
        List<String> after = List.of("n1", "n2", "n4");
        Set<String> owners = Set.copyOf(new Ring(Ring.Shape.checked(3, 64, after)).owners(KEY, 1));
        endpoints.learn(all.get(0), page("n1", 4, before));
        endpoints.learn(all.get(1), page("n2", 5, after));
        assertThat(endpoints.knowsRing()).isTrue();
        endpoints.learn(all.get(1), page("n2", 4, before));
        endpoints.learn(all.get(2), page("n4", 4, before));
        Endpoints.Endpoint first = endpoints.choose(KEY, 1, Set.of(), 0, 0);
        assertThat(owners).containsExactly(List.of("n1", "n2", "n4").get(all.indexOf(first)));
    }

    @Test
    void anotherClusterHasNoLaterEpoch() throws Exception {
        List<Endpoints.Endpoint> all = endpoints.all();
        List<String> members = List.of("n1", "n2", "n3");
        endpoints.learn(all.get(0), page("n1", 4, members));
        Endpoints.RingPage page = page("n2", 9, members);
        endpoints.learn(
                all.get(1), new Endpoints.RingPage("n2", "other", 9, page.shape(), page.urls()));
        assertThat(endpoints.knowsRing()).isFalse();
    }

    @Test
    void addressesInTheRingAreCandidatesOnlyAfterAMoveAndWhileAnAddressFails() throws Exception {
        List<Endpoints.Endpoint> all = endpoints.all();
        List<String> members = List.of("n1", "n2", "n3");
        for (int i = 0; i < 3; i++) {
            endpoints.learn(all.get(i), page(members.get(i), 2, members));
        }
        assertThat(endpoints.candidates()).isEmpty();
        endpoints.note(all.get(1), BROKEN, 0);
        Map<String, Endpoints.Endpoint> found = endpoints.candidates();
        assertThat(found).containsOnlyKeys("n2");
        assertThat(found.get("n2").uri()).hasToString("http://new-n2:1");
        endpoints.adopt(found.get("n2"), page("n2", 2, members));
        assertThat(endpoints.candidates()).isEmpty();
        assertThat(endpoints.all()).hasSize(4).containsAll(all);
        endpoints.note(all.get(1), FINE, 0);
        assertThat(endpoints.candidates()).isEmpty();
        // Somebody else may be there, once the member is not.
        Endpoints.RingPage page = page("n1", 3, members);
        endpoints.learn(
                all.get(0),
                new Endpoints.RingPage(
                        "n1", "c", 3, page.shape(), Map.of("n2", URI.create("http://b:1"))));
        assertThat(endpoints.all()).containsExactlyElementsOf(all);
    }

    @Test
    void noAddressInTheFirstRingIsACandidate() throws Exception {
        List<Endpoints.Endpoint> all = endpoints.all();
        endpoints.learn(all.get(0), page("n1", 1, List.of("n1", "n2", "n3")));
        endpoints.note(all.get(1), BROKEN, 0);
        assertThat(endpoints.candidates()).isEmpty();
    }
}
