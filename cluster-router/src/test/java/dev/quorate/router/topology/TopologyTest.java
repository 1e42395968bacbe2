package dev.quorate.router.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quorate.router.topology.Member.Place;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TopologyTest {

    private static final String THREE = "n1=http://a:8080,n2=http://b:8080,n3=http://c:8080";

    private static Topology parse(String text, int replicationFactor) {
        return new Topology(Topology.parse(text).members(), replicationFactor);
    }

    @Test
    void sortsItsMembersByName() {
        Topology topology = Topology.parse("n3=http://c:1, n1=http://a:1 ,n2=http://b:1");
        assertThat(topology.members()).extracting(Member::name).containsExactly("n1", "n2", "n3");
        assertThat(topology.size()).isEqualTo(3);
        assertThat(topology.member("n2")).hasToString("n2=http://b:1");
        assertThat(topology.member("n4")).isNull();
    }

    @Test
    void ignoresTheOrderOfMembersAndTheCaseOfHosts() {
        Topology one = Topology.parse("n1=http://a:1,n2=http://b:2");
        Topology other = Topology.parse("n2=HTTP://B:2,n1=http://A:1");
        assertThat(other).isEqualTo(one).hasSameHashCodeAs(one);
        assertThat(other.fingerprint()).isEqualTo(one.fingerprint());
        assertThat(other.differenceFrom(one)).isEqualTo("The topologies are the same.");
    }

    @Test
    void theDefaultReplicationFactorIsAtMostThree() {
        assertThat(Topology.parse("n1=http://a:1").replicationFactor()).isEqualTo(1);
        assertThat(Topology.parse("n1=http://a:1,n2=http://b:2").replicationFactor()).isEqualTo(2);
        assertThat(Topology.parse(THREE).replicationFactor()).isEqualTo(3);
        assertThat(Topology.parse(THREE + ",n4=http://d:1").replicationFactor()).isEqualTo(3);
        assertThat(parse(THREE, 2).replicationFactor()).isEqualTo(2);
    }

    /** Nodes compare this text, so a change must be deliberate. */
    @Test
    void theCanonicalTextIsPinned() {
        assertThat(Topology.parse(THREE).canonicalText())
                .isEqualTo(
                        "virtual-nodes=4096;replication=3;"
                                + "n1=http://a:8080,n2=http://b:8080,n3=http://c:8080");
        assertThat(Topology.parse(THREE).fingerprint()).isEqualTo(0xffdf3b03c974fa04L);
    }

    private static final UUID ID = UUID.fromString("5d1c1f0e-8a3b-4c6d-9e7f-0a1b2c3d4e5f");
    private static final UUID OTHER = UUID.fromString("00000000-0000-0000-0000-000000000001");

    @Test
    void theClusterIdIsAPartOfIt() {
        Topology unknown = Topology.parse(THREE);
        Topology known = unknown.in(ID);
        assertThat(known.canonicalText())
                .isEqualTo("cluster=" + ID + ";" + unknown.canonicalText());
        assertDifference(known, unknown, "It does not know the cluster's id yet.");
        assertDifference(unknown, known, "This node does not know the cluster's id yet.");
        assertDifference(
                known,
                unknown.in(OTHER),
                "This node belongs to cluster " + ID + ", and that one to cluster " + OTHER + ".");
        assertThat(known.epoch()).isEqualTo(1);
        assertThat(known.succeeds(unknown)).isTrue();
        assertThat(unknown.succeeds(known)).isFalse();
        assertThat(known.succeeds(known)).isFalse();
        assertThat(known.succeeds(parse(THREE, 2))).isTrue();
        assertThat(known.succeeds(parse(THREE, 2).in(OTHER))).isFalse();
    }

    /** Its option may name earlier members, and it keeps the cluster that it is in. */
    @Test
    void aMemberWithoutAClusterLearnsOfAny() {
        LiveTopology live = new LiveTopology(Topology.parse(THREE));
        List<Object> told = new ArrayList<>();
        live.whenTold(told::add);
        Topology first = live.current().in(ID);
        live.whenInstalled(next -> told.add("installed"));
        live.toldOf(live.current());
        live.toldOf(parse(THREE, 2));
        assertThat(told).isEmpty();
        live.toldOf(first);
        assertThat(told).containsExactly(first);
        live.install(first);
        live.toldOf(Topology.parse(THREE).in(OTHER));
        live.toldOf(first);
        assertThat(told).containsExactly(first, "installed");
        assertThat(live.current()).isEqualTo(first);
    }

    private static Topology moved(Topology before, String name, String url) {
        return before.next(
                before.members().stream()
                        .map(each -> each.name().equals(name) ? each.at(URI.create(url)) : each)
                        .toList());
    }

    @Test
    void anEpochSucceedsEarlierOnesOfItsCluster() {
        Topology first = Topology.parse(THREE).in(ID);
        Topology second = moved(first, "n2", "http://d:8080");
        Topology third = moved(second, "n3", "http://e:8080");
        assertThat(second.canonicalText())
                .isEqualTo(
                        "cluster="
                                + ID
                                + ";epoch=2;virtual-nodes=4096;replication=3;"
                                + "n1=http://a:8080,n2=http://d:8080,n3=http://c:8080");
        assertThat(third.succeeds(first)).isTrue();
        assertThat(third.succeeds(second)).isTrue();
        assertThat(second.succeeds(third)).isFalse();
        assertThat(third.succeeds(Topology.parse(THREE))).as("it knows no id").isTrue();
        assertThat(third.succeeds(Topology.parse(THREE).in(OTHER))).isFalse();
        assertThat(third.placesLike(first)).isTrue();
        assertThat(third.clusterFingerprint()).isEqualTo(first.clusterFingerprint());
        assertThat(third.fingerprint()).isNotEqualTo(second.fingerprint());
        assertDifference(first, second, "The epoch is 1 here and 2 there.");
    }

    @Test
    void membersJoinAndLeaveInAJointEpoch() {
        Topology joint =
                Topology.parseCanonicalText(
                        "cluster="
                                + ID
                                + ";epoch=9;virtual-nodes=4096;replication=2;"
                                + "n1=http://a:1,-n2=http://b:1,+n3@9=http://c:1");
        assertThat(joint.isJoint()).isTrue();
        assertThat(joint.before().members()).extracting(Member::name).containsExactly("n1", "n2");
        assertThat(joint.after().members()).extracting(Member::name).containsExactly("n1", "n3");
        assertThat(joint.members().get(2).since()).isEqualTo(9);
        String settled = "cluster=" + ID + ";epoch=10;shrunk=10;virtual-nodes=4096;replication=2;";
        assertThat(joint.completed().toString())
                .isEqualTo(settled + "n1=http://a:1,n3@9=http://c:1");
        assertThat(joint.cancelled().toString()).isEqualTo(settled + "n1=http://a:1,n2=http://b:1");
        assertThat(joint.cancelled().succeeds(joint)).isTrue();
        assertThat(joint.shrunk()).isZero();
        assertThat(joint.completed().shrunk()).isEqualTo(10);
        assertThat(joint.completed().next(joint.completed().members()).shrunk()).isEqualTo(10);
        assertThat(Topology.parse(THREE).isJoint()).isFalse();
        assertThat(Topology.parse(THREE).before()).isEqualTo(Topology.parse(THREE).after());
    }

    @Test
    void theReplicationFactorChangesInAJointEpoch() {
        String epoch = "cluster=" + ID + ";epoch=9;virtual-nodes=4096;replication=";
        String members = "n1=http://a:1,n2=http://b:1,n3=http://c:1";
        Topology stable = Topology.parseCanonicalText(epoch + "1;" + members);
        Topology joint = stable.next(stable.members(), 3);
        assertThat(joint.toString()).contains(";epoch=10;").contains(";replication=1>3;");
        assertThat(Topology.parseCanonicalText(joint.canonicalText())).isEqualTo(joint);
        assertThat(joint.isJoint()).isTrue();
        assertThat(joint.placesLike(stable)).isFalse();
        assertThat(joint.before().placesLike(stable)).isTrue();
        assertThat(joint.after().replicationFactor()).isEqualTo(3);
        assertThat(joint.completed().toString()).contains(";shrunk=11;").contains("replication=3;");
        assertThat(joint.cancelled().toString()).contains(";shrunk=11;").contains("replication=1;");
        assertThat(joint.next(joint.members()).toString()).contains(";replication=1>3;");
        for (String factor : List.of("1>1", "1>4", "1>0", ">3", "1>", "1>2>3")) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> Topology.parseCanonicalText(epoch + factor + ";" + members));
        }
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () ->
                                Topology.parseCanonicalText(
                                        "virtual-nodes=4096;replication=1>3;" + members));
    }

    @Test
    void aMembersZoneAndWeightChangeInAJointEpoch() {
        String text =
                "cluster=00000000-0000-0001-0000-000000000002;epoch=9;virtual-nodes=64;replication=2;"
                        + "n1/east=http://a:1,n2/west*2.00=http://b:1,n3@9/east*0.25>/west=http://c:1";
        Topology joint = Topology.parseCanonicalText(text);
        assertThat(joint.isJoint()).isTrue();
        assertThat(joint.members())
                .extracting(Member::place)
                .containsExactly(
                        new Place("east", 100), new Place("west", 200), new Place("east", 25));
        assertThat(joint.before().toString()).isEqualTo(text.replace(">/west", ""));
        assertThat(joint.after().toString()).isEqualTo(text.replace("/east*0.25>/west", "/west"));
        assertThat(joint.placesLike(joint.before())).isFalse();
        assertThat(joint.before().placesLike(joint.after())).isFalse();
        assertThat(joint.before().isJoint()).isFalse();
        for (String wrong :
                List.of(
                        text.replace("*2.00", "*2"),
                        text.replace("*2.00", "*9.00"),
                        text.replace("*2.00", "*0.10"),
                        text.replace("*2.00", "*1.00"),
                        text.replace("/east=", "/="),
                        text.replace("/east=", "/East="),
                        text.replace(">/west", ">/east*0.25"),
                        text.replace("n3@9", "+n3@9"))) {
            assertThatIllegalArgumentException()
                    .as(wrong)
                    .isThrownBy(() -> Topology.parseCanonicalText(wrong));
        }
    }

    @Test
    void parsesItsCanonicalText() {
        for (Topology topology :
                List.of(Topology.parse(THREE), parse(THREE, 1), Topology.parse(THREE).in(ID))) {
            assertThat(Topology.parseCanonicalText(topology.canonicalText())).isEqualTo(topology);
        }
        for (String text :
                List.of(
                        "",
                        THREE,
                        "cluster=",
                        "cluster=;virtual-nodes=4096;replication=3;" + THREE,
                        "cluster=1-1-1-1-1;virtual-nodes=4096;replication=3;" + THREE,
                        "cluster=" + ID + "virtual-nodes=4096;replication=3;" + THREE,
                        "cluster=" + ID + ";epoch=;virtual-nodes=4096;replication=3;" + THREE,
                        "cluster=" + ID + ";epoch=1;virtual-nodes=4096;replication=3;" + THREE,
                        "cluster=" + ID + ";epoch=02;virtual-nodes=4096;replication=3;" + THREE,
                        "epoch=2;virtual-nodes=4096;replication=3;" + THREE,
                        "cluster="
                                + ID
                                + ";epoch=2;shrunk=3;virtual-nodes=9;replication=3;"
                                + THREE,
                        "cluster="
                                + ID
                                + ";epoch=2;shrunk=0;virtual-nodes=9;replication=3;"
                                + THREE,
                        "virtual-nodes=4096;replication=3;" + THREE.replace("n1", "+n1"),
                        "virtual-nodes=4096;replication=3;" + THREE.replace("n1", "n1@2"),
                        "virtual-nodes=4096;replication=3;n2=http://a:8080,n1=http://b:8080",
                        "virtual-nodes=;replication=3;" + THREE,
                        "virtual-nodes=+1;replication=3;" + THREE,
                        "virtual-nodes=0;replication=3;" + THREE,
                        "virtual-nodes=99999;replication=3;" + THREE,
                        "virtual-nodes=99999999999;replication=3;" + THREE,
                        "virtual-nodes=4096;replication=4;" + THREE,
                        "virtual-nodes=4096;replication=3;" + THREE + ";",
                        "virtual-nodes=4096;replication=3;")) {
            assertThatIllegalArgumentException()
                    .as(text)
                    .isThrownBy(() -> Topology.parseCanonicalText(text));
        }
    }

    @Test
    void namesTheFirstDifference() {
        Topology here = Topology.parse(THREE);
        assertDifference(
                here,
                Topology.parse("n1=http://a:8080,n2=http://b:8080,n3=http://c:8081"),
                "n3 is http://c:8080 here and http://c:8081 there.");
        assertDifference(
                here,
                parse("n1=http://a:8080,n2=http://b:8080", 2),
                "n3 is http://c:8080 here and absent there.");
        assertDifference(
                here,
                Topology.parse(THREE + ",n0=http://d:8080"),
                "n0 is absent here and http://d:8080 there.");
        assertDifference(here, parse(THREE, 2), "The replication factor is 3 here and 2 there.");
        assertDifference(
                here,
                Topology.parseCanonicalText("virtual-nodes=64;replication=3;" + THREE),
                "The number of virtual nodes is 4096 here and 64 there.");
    }

    private static void assertDifference(Topology here, Topology there, String sentence) {
        assertThat(here.differenceFrom(there)).isEqualTo(sentence);
        assertThat(here).isNotEqualTo(there);
        assertThat(here.fingerprint()).isNotEqualTo(there.fingerprint());
        assertThat(there.differenceFrom(here)).isNotEqualTo("The topologies are the same.");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "''                             | has '' where name=http://host:port belongs",
                "n1=http://a:1,                 | has '' where name=http://host:port belongs",
                "n1                             | has 'n1' where name=http://host:port belongs",
                "=http://a:1                    | member name ''",
                "N1=http://a:1                  | member name 'N1'",
                "-n=http://a:1                  | member name '-n'",
                "n_1=http://a:1                 | member name 'n_1'",
                "ñ=http://a:1                   | member name 'ñ'",
                "n1=                            | address of member 'n1'",
                "n1=a:1                         | address of member 'n1'",
                "n1=https://a:1                 | address of member 'n1'",
                "n1=http://a                    | address of member 'n1'",
                "n1=http://a:0                  | address of member 'n1'",
                "n1=http://a:65536              | address of member 'n1'",
                "n1=http://a:1/                 | address of member 'n1'",
                "n1=http://a:1?x                | address of member 'n1'",
                "n1=http://a:1#x                | address of member 'n1'",
                "n1=http://me@a:1               | address of member 'n1'",
                "n1=http://a b:1                | address of member 'n1'",
                "n1=http://a:1,n1=http://b:1    | names the member 'n1' twice",
                "n1=http://a:1,n2=http://A:1    | 'n1' and 'n2' have the same address, http://a:1",
            })
    void rejectsWithOneSentence(String text, String sentence) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Topology.parse(text))
                .withMessageContaining(sentence)
                .withMessageEndingWith(".")
                .withMessageNotContaining("\n");
    }

    @Test
    void acceptsIpv4AndIpv6Addresses() {
        assertThat(Topology.parse("n1=http://[::1]:8080").members().getFirst().url())
                .hasToString("http://[::1]:8080");
        assertThat(Topology.parse("n1=http://127.0.0.1:8080").members().getFirst().url())
                .hasToString("http://127.0.0.1:8080");
    }

    @Test
    void limitsTheMembersAndTheirNames() {
        assertThat(Topology.parse(members(128)).size()).isEqualTo(128);
        assertThatThrownBy(() -> Topology.parse(members(129)))
                .hasMessage("A topology has 1 to 128 members, and this one has 129.");
        assertThatThrownBy(() -> new Topology(new ArrayList<>()))
                .hasMessage("A topology has 1 to 128 members, and this one has 0.");
        assertThat(Topology.parse("n".repeat(63) + "=http://a:1").size()).isEqualTo(1);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Topology.parse("n".repeat(64) + "=http://a:1"));
        for (int factor : new int[] {-1, 0, 4}) {
            assertThatThrownBy(() -> parse(THREE, factor))
                    .hasMessage(
                            "The replication factor must be 1 to 3, the number of members, not "
                                    + factor
                                    + ".");
        }
    }

    private static String members(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> "n" + i + "=http://host:" + (1_000 + i))
                .collect(Collectors.joining(","));
    }

    /** A version of number 0 stands for the GC watermark where a key has nothing. */
    @Test
    void rejectsAMemberWhoseNumberIsZero() {
        assertThat(new Member("n513252006", URI.create("http://a:1")).number()).isZero();
        assertThatThrownBy(() -> Topology.parse("n513252006=http://a:1"))
                .hasMessage(
                        "The name of the member 'n513252006' happens to hash to 0, which no member"
                                + " may have as its number, so it needs another name.");
    }

    /** Two nodes with the same number could assign the same timestamp to two values. */
    @Test
    void rejectsMembersWithTheSameNumber() {
        assertThat(new Member("n109109", URI.create("http://a:1")).number())
                .isEqualTo(new Member("n140125", URI.create("http://b:1")).number());
        assertThatThrownBy(() -> Topology.parse("n109109=http://a:1,n140125=http://b:1"))
                .hasMessage(
                        "The names of the members 'n109109' and 'n140125' happen to hash to the"
                                + " same number, so one needs another name.");
    }
}
