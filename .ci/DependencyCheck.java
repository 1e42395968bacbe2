import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.xml.XMLConstants;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Element;
import org.w3c.dom.Node;

/**
 * Checks what a release depends on: {@code ./release} runs it, with nothing but the JDK.
 *
 * <p>{@code java DependencyCheck.java BOM LIB SUMS [URL]}: the bill of materials (CycloneDX, XML), the
 * folder with the jars that are released, the file with the SHA-256 of those of others, and the
 * vulnerability database (OSV). Writes a report to standard output.
 *
 * <p>Exit codes: 0; 1 if anything is wrong, each in one sentence on standard error; 2 for arguments;
 * 3 if everything else is right and the database cannot be reached.
 */
final class DependencyCheck {

    private static final String OWN_GROUP = "dev.quorate";

    /** Of a dependency with several licences one suffices: its users choose. */
    private static final Set<String> LICENCES =
            Set.of("Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "EPL-2.0", "MIT", "0BSD");

    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);
    private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(20);
    private static final Pattern VULNERABILITY =
            Pattern.compile("\"id\"\\s*:\\s*\"([A-Z][A-Za-z]*-[^\"\\s]{1,60})\"");

    /** A component of the bill. */
    private record Component(
            String group, String name, String version, Set<String> licences, String sha256) {

        boolean isOwn() {
            return group.equals(OWN_GROUP);
        }

        String jar() {
            return name + "-" + version + ".jar";
        }

        String coordinates() {
            return group + ":" + name + ":" + version;
        }
    }

    private final List<String> violations = new ArrayList<>();

    private DependencyCheck() {}

    public static void main(String[] arguments) throws Exception {
        if (arguments.length < 3 || arguments.length > 4) {
            System.err.println("usage: DependencyCheck BOM LIB SUMS [URL]");
            System.exit(2);
        }
        DependencyCheck check = new DependencyCheck();
        List<Component> components = components(Path.of(arguments[0]));
        check.versions(components);
        check.licences(components);
        check.jars(components, Path.of(arguments[1]), Path.of(arguments[2]));
        boolean isAsked = true;
        if (arguments.length == 4) {
            isAsked = check.vulnerabilities(components, URI.create(arguments[3]));
        } else {
            System.out.println("vulnerabilities: not checked, as --no-dependency-check says");
        }
        check.violations.forEach(System.err::println);
        System.exit(!check.violations.isEmpty() ? 1 : isAsked ? 0 : 3);
    }

    // ---- The bill.

    private static List<Component> components(Path bom) throws Exception {
        DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
        factory.setFeature(XMLConstants.FEATURE_SECURE_PROCESSING, true);
        factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
        Element root;
        try (InputStream in = Files.newInputStream(bom)) {
            root = factory.newDocumentBuilder().parse(in).getDocumentElement();
        }
        List<Component> components = new ArrayList<>();
        for (Element each : children(child(root, "components"), "component")) {
            Set<String> licences = new TreeSet<>();
            for (Element licence : children(child(each, "licenses"), "license")) {
                licences.add(text(licence, "id") + text(licence, "name"));
            }
            String sha256 = "";
            for (Element hash : children(child(each, "hashes"), "hash")) {
                if (hash.getAttribute("alg").equals("SHA-256")) {
                    sha256 = hash.getTextContent().strip();
                }
            }
            components.add(
                    new Component(
                            text(each, "group"),
                            text(each, "name"),
                            text(each, "version"),
                            licences,
                            sha256));
        }
        return components;
    }

    private static List<Element> children(Element parent, String name) {
        List<Element> found = new ArrayList<>();
        Node node = parent == null ? null : parent.getFirstChild();
        for (; node != null; node = node.getNextSibling()) {
            if (node instanceof Element element && element.getTagName().equals(name)) {
                found.add(element);
            }
        }
        return found;
    }

    private static Element child(Element parent, String name) {
        List<Element> found = children(parent, name);
        return found.isEmpty() ? null : found.getFirst();
    }

    private static String text(Element parent, String name) {
        Element child = child(parent, name);
        return child == null ? "" : child.getTextContent().strip();
    }

    // ---- What needs no network.

    private void versions(List<Component> components) {
        Map<String, String> versions = new HashMap<>();
        for (Component each : components) {
            if (each.version().endsWith("-SNAPSHOT")) {
                violations.add(each.coordinates() + " is a snapshot, which can change.");
            }
            String other = versions.put(each.group() + ":" + each.name(), each.version());
            if (other != null) {
                violations.add(each.coordinates() + " is there as " + other + " too.");
            }
        }
        long others = components.stream().filter(each -> !each.isOwn()).count();
        if (others == 0) {
            violations.add("The bill of materials has no dependencies: it is not that of a release.");
        }
        System.out.println("dependencies: " + others);
    }

    private void licences(List<Component> components) {
        Map<String, Integer> counts = new TreeMap<>();
        for (Component each : components) {
            if (each.licences().stream().noneMatch(LICENCES::contains)) {
                violations.add(
                        "%s has the licence %s, which is not one of %s."
                                .formatted(
                                        each.coordinates(),
                                        each.licences(),
                                        new TreeSet<>(LICENCES)));
            }
            if (!each.isOwn()) {
                counts.merge(String.join(" or ", each.licences()), 1, Integer::sum);
            }
        }
        System.out.println("licences: " + counts);
    }

    /** The jars are those of the bill, and those that were there when the sums were written. */
    private void jars(List<Component> components, Path lib, Path sumsFile) throws Exception {
        Map<String, Component> byJar = new HashMap<>();
        components.forEach(each -> byJar.put(each.jar(), each));
        Map<String, String> sums = new TreeMap<>();
        for (String line : Files.readAllLines(sumsFile)) {
            String[] words = line.split(" +", 2);
            sums.put(words[words.length - 1], words[0]);
        }
        List<Path> jars;
        try (Stream<Path> files = Files.list(lib)) {
            jars = files.sorted().toList();
        }
        int compared = 0;
        for (Path each : jars) {
            String jar = String.valueOf(each.getFileName());
            Component component = byJar.get(jar);
            if (component == null) {
                violations.add(jar + " is released, and not in the bill of materials.");
                continue;
            }
            if (component.isOwn()) {
                continue;
            }
            String sha256 = sha256(each);
            if (!sha256.equals(component.sha256())) {
                violations.add(jar + " is not the file in the bill of materials.");
            }
            if (!sha256.equals(sums.remove(jar))) {
                violations.add(
                        "%s has not the checksum in %s. If it was upgraded on purpose, its line is: %s  %s"
                                .formatted(jar, sumsFile.getFileName(), sha256, jar));
            }
            compared++;
        }
        for (String jar : sums.keySet()) {
            violations.add(jar + " is in " + sumsFile.getFileName() + ", and is not released.");
        }
        System.out.println("checksums: " + compared + " jars compared with those recorded");
    }

    private static String sha256(Path file) throws Exception {
        return HexFormat.of()
                .formatHex(MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file)));
    }

    // ---- What the database knows.

    /** Whether it has answered. */
    private boolean vulnerabilities(List<Component> components, URI database) {
        HttpClient client = HttpClient.newBuilder().connectTimeout(CONNECT_TIMEOUT).build();
        int asked = 0;
        for (Component each : components) {
            if (each.isOwn()) {
                continue;
            }
            String answer;
            try {
                answer = ask(client, database, each);
            } catch (IOException e) {
                System.out.println(
                        "vulnerabilities: not checked, as " + database + " " + e.getMessage());
                return false;
            }
            asked++;
            if (answer.contains("\"vulns\"")) {
                Set<String> ids = new TreeSet<>();
                VULNERABILITY.matcher(answer).results()
                        .map((MatchResult found) -> found.group(1))
                        .forEach(ids::add);
                violations.add(each.coordinates() + " has known vulnerabilities: " + ids + ".");
            }
        }
        System.out.println("vulnerabilities: " + database + " was asked about " + asked);
        return true;
    }

    /**
     * Asks about one component (https://google.github.io/osv.dev/post-v1-query/).
     *
     * @throws IOException what the database does, if that is not an answer
     */
    private static String ask(HttpClient client, URI database, Component component)
            throws IOException {
        String query =
                "{\"package\":{\"purl\":\"pkg:maven/%s/%s@%s\"}}"
                        .formatted(component.group(), component.name(), component.version());
        HttpRequest request =
                HttpRequest.newBuilder(database.resolve("/v1/query"))
                        .timeout(ANSWER_TIMEOUT)
                        .header("Content-Type", "application/json")
                        .POST(BodyPublishers.ofString(query))
                        .build();
        HttpResponse<String> response;
        try {
            response = client.send(request, BodyHandlers.ofString());
        } catch (IOException e) {
            throw new IOException("cannot be reached", e);
        } catch (InterruptedException e) {
            throw new IOException("was interrupted", e);
        }
        String body = response.body().strip();
        if (response.statusCode() != 200 || !body.startsWith("{") || !body.endsWith("}")) {
            throw new IOException("answers " + response.statusCode() + ", and not as it should");
        }
        return body;
    }
}
