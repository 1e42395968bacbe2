package dev.quorate.router.topology;

import dev.quorate.router.token.Token;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The members of the cluster in one epoch, and all other settings that determine the placement of
 * keys. Immutable.
 *
 * <p>The topology of the options has epoch 0 and no cluster id. The members choose the id, and with
 * it epoch 1; each later change is chosen as the next epoch (decision 0051). In one epoch all nodes
 * have the same topology: they compare {@link #fingerprint}s and, if they differ, use {@link
 * #canonicalText} and {@link #differenceFrom} to report why they reject each other. Members are
 * sorted by name, so the order of their configuration does not matter.
 */
public final class Topology {

    /** Maximum number of members: announcements and rings of more would take too much. */
    public static final int MAX_MEMBERS = 128;

    /**
     * Points on the ring for a member of weight 1. It determines the placement of data, so it is
     * part of the fingerprint. See docs/decisions/0003-ring-and-placement.md.
     */
    public static final int VIRTUAL_NODES = 4_096;

    private static final String CLUSTER = "cluster=";
    private static final String EPOCH = "epoch=";
    private static final String SHRUNK = "shrunk=";
    private static final String REPLICATION = "replication=";

    /** Copies of a key unless an operator sets another number; all members if they are fewer. */
    public static final int DEFAULT_REPLICATION_FACTOR = 3;

    private static final int MAX_VIRTUAL_NODES = 65_536;

    /** Epochs that {@link #without} leaves to members that are lost: they may have chosen some. */
    public static final int EPOCHS_OF_THE_LOST = 1_000;

    private final List<Member> members;
    private final Map<String, Member> membersByName;
    private final Map<Integer, Member> membersByNumber;
    private final int replicationFactor;
    private final int nextFactor;
    private final int virtualNodes;
    private final @Nullable UUID cluster;
    private final int epoch;
    private final int shrunk;
    private final String canonicalText;
    private final long fingerprint;

    /** Creates a topology with the default replication factor: three, or all members if fewer. */
    public Topology(Collection<Member> members) {
        this(members, Math.min(DEFAULT_REPLICATION_FACTOR, members.size()));
    }

    /**
     * @param members 1 to {@link #MAX_MEMBERS}, in any order
     * @param replicationFactor copies of a key if a request specifies none: 1 to the number of
     *     members
     * @throws IllegalArgumentException with one sentence that names the invalid part
     */
    public Topology(Collection<Member> members, int replicationFactor) {
        this(members, replicationFactor, replicationFactor, VIRTUAL_NODES, null, 0, 0);
    }

    private Topology(
            Collection<Member> members,
            int replicationFactor,
            int nextFactor,
            int virtualNodes,
            @Nullable UUID cluster,
            int epoch,
            int shrunk) {
        this.members = members.stream().sorted(Comparator.comparing(Member::name)).toList();
        this.membersByName = HashMap.newHashMap(members.size());
        this.membersByNumber = HashMap.newHashMap(members.size());
        this.replicationFactor = replicationFactor;
        this.nextFactor = nextFactor;
        this.virtualNodes = virtualNodes;
        this.cluster = cluster;
        this.epoch = epoch;
        this.shrunk = shrunk;
        requireLimits();
        requireDistinctMembers();
        this.canonicalText = writeCanonicalText();
        this.fingerprint = Token.hash(canonicalText.getBytes(StandardCharsets.US_ASCII));
    }

    /** Parses {@code n1=http://host:port,n2=…}, with the default replication factor. */
    public static Topology parse(String text) {
        return new Topology(parseMembers(text, Member::new));
    }

    /**
     * Parses the {@link #canonicalText} of a node, possibly of a release with another number of
     * virtual nodes.
     *
     * @throws IllegalArgumentException with one sentence that names the invalid part
     */
    public static Topology parseCanonicalText(String text) {
        List<String> parts = new ArrayList<>(List.of(text.split(";", -1)));
        UUID cluster = null;
        int epoch = 0;
        int shrunk = 0;
        if (parts.getFirst().startsWith(CLUSTER)) {
            cluster = parseCluster(parts.removeFirst().substring(CLUSTER.length()));
            boolean isFirst = parts.isEmpty() || !parts.getFirst().startsWith(EPOCH);
            epoch = isFirst ? 1 : parseSetting(parts.removeFirst(), EPOCH);
            if (!parts.isEmpty() && parts.getFirst().startsWith(SHRUNK)) {
                shrunk = parseSetting(parts.removeFirst(), SHRUNK);
            }
        }
        if (parts.size() != 3) {
            throw new IllegalArgumentException("Not the text of a topology: '" + text + "'.");
        }
        int virtualNodes = parseSetting(parts.get(0), "virtual-nodes=");
        String[] factors = parts.get(1).split(">", 2);
        int replicationFactor = parseSetting(factors[0], REPLICATION);
        int nextFactor =
                factors.length == 1
                        ? replicationFactor
                        : parseSetting(REPLICATION + factors[1], REPLICATION);
        Topology parsed =
                new Topology(
                        parseMembers(parts.get(2), Member::parse),
                        replicationFactor,
                        nextFactor,
                        virtualNodes,
                        cluster,
                        epoch,
                        shrunk);
        if (!parsed.canonicalText.equals(text)) {
            throw new IllegalArgumentException(
                    "Not the canonical text of a topology: '" + text + "'.");
        }
        return parsed;
    }

    /**
     * Parses a cluster id in its canonical form.
     *
     * @throws IllegalArgumentException if it has another form
     */
    public static UUID parseCluster(String text) {
        UUID cluster = UUID.fromString(text);
        if (!cluster.toString().equals(text)) {
            throw new IllegalArgumentException("Not the canonical form of a cluster id: " + text);
        }
        return cluster;
    }

    private static int parseSetting(String part, String prefix) {
        String digits = part.startsWith(prefix) ? part.substring(prefix.length()) : "";
        if (digits.isEmpty()
                || digits.length() > 9
                || !digits.chars().allMatch(c -> c >= '0' && c <= '9')) {
            throw new IllegalArgumentException(
                    "In the text of a topology, '" + part + "' must be " + prefix + "N.");
        }
        return Integer.parseInt(digits);
    }

    private static List<Member> parseMembers(
            String text, BiFunction<String, URI, Member> toMember) {
        List<Member> members = new ArrayList<>();
        for (String part : text.split(",", -1)) {
            String trimmed = part.strip();
            int equals = trimmed.indexOf('=');
            if (equals < 0) {
                throw new IllegalArgumentException(
                        "The topology has '" + trimmed + "' where name=http://host:port belongs.");
            }
            String name = trimmed.substring(0, equals).strip();
            String url = trimmed.substring(equals + 1).strip();
            members.add(toMember.apply(name, Member.address(name, url)));
        }
        return members;
    }

    private void requireLimits() {
        if (members.isEmpty() || members.size() > MAX_MEMBERS) {
            throw new IllegalArgumentException(
                    "A topology has 1 to %s members, and this one has %s."
                            .formatted(MAX_MEMBERS, members.size()));
        }
        for (int factor : List.of(replicationFactor, nextFactor)) {
            if (factor < 1 || factor > members.size()) {
                throw new IllegalArgumentException(
                        "The replication factor must be 1 to %s, the number of members, not %s."
                                .formatted(members.size(), factor));
            }
        }
        for (Member member : members) {
            if (member.since() > Math.max(epoch, 1) || (member.isChanging() && epoch < 2)) {
                throw new IllegalArgumentException(
                        "The member '%s' cannot be in epoch %s.".formatted(member, epoch));
            }
        }
        if (nextFactor != replicationFactor && epoch < 2) {
            throw new IllegalArgumentException("The first epoch cannot change the factor.");
        }
        if (shrunk > epoch) {
            throw new IllegalArgumentException(
                    "In epoch %s, members cannot have lost keys in epoch %s."
                            .formatted(epoch, shrunk));
        }
        if (virtualNodes < 1 || virtualNodes > MAX_VIRTUAL_NODES) {
            throw new IllegalArgumentException(
                    "A member has 1 to %s virtual nodes, not %s."
                            .formatted(MAX_VIRTUAL_NODES, virtualNodes));
        }
    }

    private void requireDistinctMembers() {
        Map<URI, Member> byUrl = new HashMap<>();
        for (Member member : members) {
            if (membersByName.putIfAbsent(member.name(), member) != null) {
                throw new IllegalArgumentException(
                        "The topology names the member '" + member.name() + "' twice.");
            }
            Member sameUrl = byUrl.putIfAbsent(member.url(), member);
            if (sameUrl != null) {
                throw new IllegalArgumentException(
                        "The members '%s' and '%s' have the same address, %s."
                                .formatted(sameUrl.name(), member.name(), member.url()));
            }
            if (member.number() == 0) {
                throw new IllegalArgumentException(
                        ("The name of the member '%s' happens to hash to 0, which no member may"
                                        + " have as its number, so it needs another name.")
                                .formatted(member.name()));
            }
            Member sameNumber = membersByNumber.putIfAbsent(member.number(), member);
            if (sameNumber != null) {
                throw new IllegalArgumentException(
                        ("The names of the members '%s' and '%s' happen to hash to the same"
                                        + " number, so one needs another name.")
                                .formatted(sameNumber.name(), member.name()));
            }
        }
    }

    private String writeCanonicalText() {
        StringBuilder text = new StringBuilder();
        if (cluster != null) {
            text.append(CLUSTER).append(cluster).append(';');
        }
        if (epoch > 1) {
            text.append(EPOCH).append(epoch).append(';');
        }
        if (shrunk > 0) {
            text.append(SHRUNK).append(shrunk).append(';');
        }
        text.append("virtual-nodes=").append(virtualNodes);
        text.append(';').append(REPLICATION).append(replicationFactor);
        if (nextFactor != replicationFactor) {
            text.append('>').append(nextFactor);
        }
        char separator = ';';
        for (Member member : members) {
            text.append(separator).append(member);
            separator = ',';
        }
        return text.toString();
    }

    /** This topology as the first epoch of the cluster with this id. */
    public Topology in(UUID id) {
        return new Topology(members, replicationFactor, replicationFactor, virtualNodes, id, 1, 0);
    }

    /** The next epoch, with changed members. */
    public Topology next(Collection<Member> changed) {
        return next(changed, nextFactor);
    }

    /** The next epoch, with changed members and, after the change, another replication factor. */
    public Topology next(Collection<Member> changed, int factor) {
        return new Topology(
                changed, replicationFactor, factor, virtualNodes, cluster, epoch + 1, shrunk);
    }

    /** The next epoch, in which the change that is in progress is completed. */
    public Topology completed() {
        return ended(after());
    }

    /** The next epoch, in which keys have the owners from before the change in progress. */
    public Topology cancelled() {
        return ended(before());
    }

    private Topology ended(Topology owners) {
        return new Topology(
                owners.members,
                owners.replicationFactor,
                owners.replicationFactor,
                virtualNodes,
                cluster,
                epoch + 1,
                epoch + 1);
    }

    /** A much later epoch, without members that are lost for good. */
    public Topology without(Collection<String> names) {
        List<Member> left =
                members.stream().filter(member -> !names.contains(member.name())).toList();
        return new Topology(
                left,
                Math.min(replicationFactor, left.size()),
                Math.min(nextFactor, left.size()),
                virtualNodes,
                cluster,
                epoch + EPOCHS_OF_THE_LOST,
                shrunk);
    }

    /** Whether keys get other owners in this epoch, so that operations need two quorums. */
    public boolean isJoint() {
        return nextFactor != replicationFactor || members.stream().anyMatch(Member::isChanging);
    }

    /** The topology with the members that own keys before the change that is in progress. */
    public Topology before() {
        return isJoint()
                ? settled(Member.Part::ownsBefore, Member::before, replicationFactor)
                : this;
    }

    /** The topology with the members that own keys after the change that is in progress. */
    public Topology after() {
        return isJoint() ? settled(Member.Part::ownsAfter, Member::after, nextFactor) : this;
    }

    private Topology settled(Predicate<Member.Part> owns, UnaryOperator<Member> as, int factor) {
        List<Member> owners =
                members.stream().filter(each -> owns.test(each.part())).map(as).toList();
        int copies = Math.min(factor, owners.size());
        return new Topology(owners, copies, copies, virtualNodes, cluster, epoch, shrunk);
    }

    /** Whether all members are the same, and own the same keys, in both. */
    public boolean placesLike(Topology other) {
        return replicationFactor == other.replicationFactor
                && nextFactor == other.nextFactor
                && virtualNodes == other.virtualNodes
                && labels().equals(other.labels());
    }

    private List<String> labels() {
        return members.stream().map(Member::label).toList();
    }

    /** The id of the cluster; null until this node knows it. */
    public @Nullable UUID cluster() {
        return cluster;
    }

    /** The number of this topology: 0 without a cluster id, and one more after each change. */
    public int epoch() {
        return epoch;
    }

    /**
     * The last epoch in which keys lost owners, which may have stored entries of them; 0 for none.
     */
    public int shrunk() {
        return shrunk;
    }

    /** All members, sorted by name. A member's index in this list identifies it elsewhere. */
    public List<Member> members() {
        return members;
    }

    /** The member with this name, or null if there is none. */
    public @Nullable Member member(String name) {
        return membersByName.get(name);
    }

    /** The {@link Member#number} of each member: to hash all names takes microseconds. */
    public Set<Integer> numbers() {
        return membersByNumber.keySet();
    }

    /** The member with this {@link Member#number}, or null if there is none. */
    public @Nullable Member member(int number) {
        return membersByNumber.get(number);
    }

    /** Whether it has this member at the same address. */
    public boolean hasAt(Member member) {
        Member here = membersByName.get(member.name());
        return here != null && here.equals(member) && here.url().equals(member.url());
    }

    public int size() {
        return members.size();
    }

    /** Copies of a key if a request specifies none; in a joint epoch before the change. */
    public int replicationFactor() {
        return replicationFactor;
    }

    /** Copies of a key if a request specifies none, after the change that is in progress. */
    public int nextFactor() {
        return nextFactor;
    }

    /** Points on the ring for a member of weight 1. */
    public int virtualNodes() {
        return virtualNodes;
    }

    /** A 64-bit hash of {@link #canonicalText}. */
    public long fingerprint() {
        return fingerprint;
    }

    /** A 64-bit hash of the cluster id, the same in all epochs; of the text while it has none. */
    public long clusterFingerprint() {
        return cluster == null
                ? fingerprint
                : Token.hash(cluster.toString().getBytes(StandardCharsets.US_ASCII));
    }

    /** One line of ASCII without blanks, equal if and only if the topologies are. */
    public String canonicalText() {
        return canonicalText;
    }

    /**
     * The first difference, in one sentence, such as "n3 is http://a:1 here and http://b:1 there."
     */
    public String differenceFrom(Topology other) {
        if (cluster != null && other.cluster != null && !cluster.equals(other.cluster)) {
            return "This node belongs to cluster %s, and that one to cluster %s."
                    .formatted(cluster, other.cluster);
        }
        if (cluster != null && other.cluster != null && epoch != other.epoch) {
            return differenceIn("The epoch", epoch, other.epoch);
        }
        TreeSet<String> names = new TreeSet<>(membersByName.keySet());
        names.addAll(other.membersByName.keySet());
        for (String name : names) {
            String here = addressOf(name);
            String there = other.addressOf(name);
            if (!here.equals(there)) {
                return name + " is " + here + " here and " + there + " there.";
            }
        }
        if (replicationFactor != other.replicationFactor) {
            return differenceIn(
                    "The replication factor", replicationFactor, other.replicationFactor);
        }
        if (virtualNodes != other.virtualNodes) {
            return differenceIn("The number of virtual nodes", virtualNodes, other.virtualNodes);
        }
        if (!Objects.equals(cluster, other.cluster)) {
            return cluster == null
                    ? "This node does not know the cluster's id yet."
                    : "It does not know the cluster's id yet.";
        }
        return "The topologies are the same.";
    }

    /**
     * Whether this is a later epoch of the other's cluster. A member without a cluster id belongs
     * to each cluster: its option may name earlier members.
     */
    public boolean succeeds(Topology other) {
        return epoch > other.epoch && (other.cluster == null || other.cluster.equals(cluster));
    }

    private String addressOf(String name) {
        Member member = membersByName.get(name);
        return member == null ? "absent" : member.url().toString();
    }

    private static String differenceIn(String what, int here, int there) {
        return what + " is " + here + " here and " + there + " there.";
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Topology topology && canonicalText.equals(topology.canonicalText);
    }

    @Override
    public int hashCode() {
        return Objects.hashCode(canonicalText);
    }

    @Override
    public String toString() {
        return canonicalText;
    }
}
