package dev.quorate.testkit.live;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.node.ClusterNode;
import dev.quorate.node.access.AccessToken;
import dev.quorate.node.access.AccessTokens;
import dev.quorate.node.access.Role;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The console of a real node in a real browser: it draws, is clicked, and logs no error. Skipped
 * where Chromium is not installed. The pictures are in {@code target/console}.
 */
final class ConsoleIT {

    private static final int WIDE = 1280;
    private static final int NARROW = 390;

    @TempDir private Path data;

    private static void await(ThrowingRunnable assertion) {
        Awaitility.await().atMost(Duration.ofSeconds(60)).untilAsserted(assertion);
    }

    @Test
    void theConsoleShowsTheClusterAndExplainsAKey() throws Exception {
        Path program =
                Browser.program()
                        .orElseGet(
                                () ->
                                        Assumptions.abort(
                                                "Skipped: Chromium is not installed"
                                                        + " (-Dquorate.chromium=PATH)."));
        try (NodesInOneProcess nodes = new NodesInOneProcess(data.resolve("nodes"), 3);
                EntityClient entities = new EntityClient(nodes.url(1));
                Browser browser = new Browser(program, data.resolve("profile"))) {
            browser.size(WIDE, 900);
            // As an operator of nodes with tokens may write the address.
            browser.open(nodes.url(1).replace("http://", "http://somebody:something@") + "/");
            await(() -> assertThat(browser.text("document.title")).isEqualTo("n1 · Quorate"));
            await(
                    () ->
                            assertThat(browser.text("document.querySelector('#state').textContent"))
                                    .isEqualTo("serves"));
            assertThat(count(browser, "#members tr")).isEqualTo(3);
            await(
                    () ->
                            assertThat(
                                            browser.text(
                                                    "[...document.querySelectorAll('#views tr')]"
                                                            + ".map(r => r.textContent).join()"))
                                    .isEqualTo("n1·upup,n2up·up,n3upup·"));
            assertThat(count(browser, "#ring path")).isEqualTo(3);
            for (int i = 0; i < 200; i++) {
                assertThat(entities.put("key" + i, "value", "2/3").statusCode()).isEqualTo(201);
            }
            assertThat(entities.put("<b>&+ é", "value", "3/3").statusCode()).isEqualTo(201);
            await(() -> assertThat(textOf(browser, ".plot p")).startsWith("Now: GET "));
            assertThat(count(browser, ".plot canvas")).isEqualTo(16);

            showsTheHealth(browser);
            explainsAKey(browser);
            listsAndWritesKeys(browser, entities);
            worksByKeyboard(browser);
            choosesAPeriod(browser);
            acts(browser);
            hasAPageForEachMember(browser);
            changesItsColours(browser);
            browser.screenshot(picture("wide.png"));
            fitsAPhone(browser);
            nodes.stop(3);
            await(
                    () ->
                            assertThat(
                                            browser.text(
                                                    "document.querySelector('#members').textContent"))
                                    .contains("down, for "));
            await(
                    () ->
                            assertThat(
                                            browser.text(
                                                    "document.querySelector('#event-list li').textContent"))
                                    .contains("n3 is down"));
            assertThat(textOf(browser, "#verdict"))
                    .isEqualTo("Yes, but it tolerates fewer failures without n3.");
            assertThat(health(browser))
                    .containsEntry("Members up", "2 of 3")
                    .containsEntry("replicas that can fail", "3/3");
            assertThat(health(browser).get("Not up, or not voting")).startsWith("n3 since ");
            assertThat(entities.put("missed", "value", "2/3").statusCode()).isEqualTo(201);
            await(
                    () ->
                            assertThat(health(browser).get("Hints to be sent"))
                                    .containsPattern("B to n3$"));
            assertThat(browser.errors).isEmpty();
            browser.screenshot(picture("narrow.png"));

            nodes.stop(1);
            await(
                    () ->
                            assertThat(browser.text("document.querySelector('#state').textContent"))
                                    .isEqualTo("not connected"));
            nodes.start(1);
            await(
                    () ->
                            assertThat(browser.text("document.querySelector('#state').textContent"))
                                    .isEqualTo("serves"));
        }
    }

    private static Path picture(String name) {
        return Path.of("target", "console", name).toAbsolutePath();
    }

    private static int count(Browser browser, String selector) throws Exception {
        return browser.evaluate("document.querySelectorAll('" + selector + "').length").getAsInt();
    }

    private static String textOf(Browser browser, String selector) throws Exception {
        return browser.text("document.querySelector('" + selector + "').textContent");
    }

    /** The items of the strip, by their titles. */
    private static Map<String, String> health(Browser browser) throws Exception {
        String items =
                browser.text(
                        "[...document.querySelectorAll('#strip div')].map(d =>"
                                + " d.firstChild.textContent + '=' + d.lastChild.textContent).join('\\n')");
        return items.lines()
                .map(line -> line.split("=", 2))
                .collect(Collectors.toMap(pair -> pair[0], pair -> pair[1]));
    }

    private static void showsTheHealth(Browser browser) throws Exception {
        assertThat(textOf(browser, "#verdict")).isEqualTo("Yes. All members are up and vote.");
        assertThat(health(browser))
                .containsEntry("Members up", "3 of 3")
                .containsEntry("Not up, or not voting", "none")
                .containsEntry("replicas that can fail", "none")
                .containsEntry("Hints to be sent", "none")
                .containsEntry("Change of members", "none");
        assertThat(health(browser).get("Stored, all copies")).endsWith("iB");
        // Each announces its load and its version, also to the one that is asked.
        await(
                () ->
                        assertThat(
                                        browser.text(
                                                "[...document.querySelectorAll('#members tr')].map(r"
                                                        + " => r.cells[2].textContent + ' ' +"
                                                        + " r.cells[3].textContent + ' ' +"
                                                        + " r.cells[4].textContent).join()"))
                                .matches(
                                        "(http://127.0.0.1:[0-9]+ "
                                                + Pattern.quote(ClusterNode.version())
                                                + " [0-9.,]+/s,?){3}"));
    }

    private static void listsAndWritesKeys(Browser browser, EntityClient entities)
            throws Exception {
        assertThat(entities.put("paper/json", "{\"a\":[1]}", "3/3").statusCode()).isEqualTo(201);
        browser.click("#prefix");
        browser.type("key1");
        browser.click("#find button");
        await(() -> assertThat(textOf(browser, "#listing-state")).isEqualTo("The first 50 keys."));
        browser.click("#more");
        await(() -> assertThat(textOf(browser, "#listing-state")).isEqualTo("The first 100 keys."));
        browser.click("#more");
        await(() -> assertThat(textOf(browser, "#listing-state")).isEqualTo("111 keys."));
        assertThat(count(browser, "#listing tbody tr")).isEqualTo(111);
        browser.click("#listing tbody tr:nth-child(2) button");
        await(() -> assertThat(textOf(browser, "#entity-h")).isEqualTo("Key key10"));
        await(() -> assertThat(textOf(browser, "#value")).isEqualTo("value"));
        browser.click("input[value=hex]");
        assertThat(textOf(browser, "#value"))
                .isEqualTo("00000000  76 61 6c 75 65" + " ".repeat(35) + "value");

        browser.evaluate("document.querySelector('#id').value = 'paper/json'");
        browser.click("#ask button");
        await(() -> assertThat(textOf(browser, "#entity-h")).isEqualTo("Key paper/json"));
        await(() -> assertThat(textOf(browser, "#value-state")).startsWith("9 bytes, version "));
        browser.click("input[value=json]");
        assertThat(textOf(browser, "#value")).isEqualTo("{\n  \"a\": [\n    1\n  ]\n}");
        browser.click("#new-value");
        browser.type("of the console");
        browser.click("#ttl");
        browser.type("1h");
        browser.click("#change button[type=submit]");
        await(() -> assertThat(textOf(browser, "#write-state")).isEqualTo("Stored."));
        assertThat(textOf(browser, "#value")).isEqualTo("of the console");
        assertThat(textOf(browser, "#value-state")).contains("text/plain", ", expires ");
        assertThat(entities.get("paper/json", "2/3").body()).isEqualTo("of the console");

        // Another client was first.
        assertThat(entities.put("paper/json", "another", "3/3").statusCode()).isEqualTo(201);
        browser.click("#change button[type=submit]");
        await(() -> assertThat(textOf(browser, "#write-state")).startsWith("Not written: "));
        assertThat(entities.get("paper/json", "2/3").body()).isEqualTo("another");
        browser.click("#ask button");
        await(() -> assertThat(textOf(browser, "#value")).isEqualTo("another"));
        browser.click("#delete");
        assertThat(textOf(browser, "#delete")).isEqualTo("Delete this key? Press again");
        assertThat(entities.get("paper/json", "2/3").statusCode()).isEqualTo(200);
        browser.click("#delete");
        await(() -> assertThat(textOf(browser, "#write-state")).isEqualTo("Deleted."));
        assertThat(entities.get("paper/json", "2/3").statusCode()).isEqualTo(404);
    }

    private static void choosesAPeriod(Browser browser) throws Exception {
        for (String seconds : List.of("300", "86400", "3600")) {
            browser.evaluate("document.querySelector('#period').value = '" + seconds + "'");
            browser.evaluate(
                    "document.querySelector('#period').dispatchEvent(new Event('change'))");
            // The first sample of a day is taken after two minutes.
            assertThat(textOf(browser, ".plot p"))
                    .startsWith(seconds.equals("86400") ? "Now: none" : "Now: GET ");
        }
    }

    private static void acts(Browser browser) throws Exception {
        browser.click("#repair");
        await(
                () ->
                        assertThat(textOf(browser, "#action-state"))
                                .containsPattern("^round [0-9]+ agreed\nn2 agreed: "));
        browser.click("#drain");
        await(() -> assertThat(textOf(browser, "#state")).isEqualTo("drained"));
        assertThat(textOf(browser, "#verdict"))
                .startsWith("Yes, but this node is not ready: serving: the node is drained");
        assertThat(textOf(browser, "#drain")).isEqualTo("End the drain of this node");
        browser.click("#drain");
        await(() -> assertThat(textOf(browser, "#state")).isEqualTo("serves"));
        browser.click("#checkpoint");
        browser.type("of-the-console");
        browser.click("#checkpoint-make");
        await(() -> assertThat(textOf(browser, "#action-state")).startsWith("of-the-console 20"));
        browser.click("#checkpoint-remove");
        browser.click("#checkpoint-remove");
        await(() -> assertThat(textOf(browser, "#action-state")).contains("is removed"));
        assertThat(browser.evaluate("document.querySelector('#change-apply').disabled"))
                .hasToString("true");
        browser.evaluate("document.querySelector('#change-member').value = 'n3'");
        browser.click("#change-preview");
        await(() -> assertThat(textOf(browser, "#action-state")).contains("too few"));
        assertThat(browser.evaluate("document.querySelector('#change-apply').disabled"))
                .hasToString("true");
    }

    /** With a token for keys alone, and by a name that the node does not have. */
    @Test
    void aTokenWithAnotherRoleShowsKeysAlone() throws Exception {
        Path program =
                Browser.program()
                        .orElseGet(() -> Assumptions.abort("Skipped: Chromium is not installed."));
        AccessToken.Issued reading = issued("reader", Role.READ);
        AccessToken.Issued admin = issued("ops", Role.ADMIN);
        Path tokens = data.resolve("tokens");
        Files.write(tokens, AccessTokens.none().with(reading.token()).with(admin.token()).bytes());
        Files.setPosixFilePermissions(tokens, PosixFilePermissions.fromString("rw-------"));
        try (NodesInOneProcess nodes =
                        new NodesInOneProcess(
                                data.resolve("nodes"), 1, Map.of("token-file", tokens.toString()));
                Browser browser = new Browser(program, data.resolve("profile"))) {
            browser.size(WIDE, 900);
            browser.open(nodes.url(1).replace("http://", "http://x:" + reading.text() + "@") + "/");
            await(() -> assertThat(textOf(browser, "#state")).isEqualTo("keys only"));
            assertThat(shownSections(browser)).isEqualTo("keys");
            assertThat(textOf(browser, "#problem")).contains("has the role read");
            browser.click("#find button");
            await(() -> assertThat(textOf(browser, "#listing-state")).isEqualTo("0 keys."));
            browser.click("#id");
            browser.type("a");
            browser.click("#ask button");
            await(
                    () ->
                            assertThat(textOf(browser, "#value-state"))
                                    .isEqualTo("This key has no value."));
            assertThat(browser.text("String(document.querySelector('#change').hidden)"))
                    .isEqualTo("true");

            browser.open("http://x:" + admin.text() + "@quorate.example:" + nodes.port(1) + "/");
            await(() -> assertThat(textOf(browser, "#problem")).contains("known-hosts"));
            assertThat(textOf(browser, "#state")).isEqualTo("not connected");
        }
    }

    private static AccessToken.Issued issued(String name, Role role) throws Exception {
        return AccessToken.issue(name, role, new byte[0], new SecureRandom());
    }

    /** What a client has written is text, also where it is HTML. */
    private static void explainsAKey(Browser browser) throws Exception {
        browser.click("#id");
        browser.type("<b>&+ é");
        browser.click("#ask button");
        await(() -> assertThat(count(browser, "#answer tbody tr")).isEqualTo(3));
        String answer = browser.text("document.querySelector('#answer').textContent");
        assertThat(answer).contains("5 bytes", "A read at a majority");
        assertThat(count(browser, "#answer b")).isZero();
        assertThat(browser.text("document.querySelector('#ring').getAttribute('aria-label')"))
                .contains("owners of the key");
    }

    private static void worksByKeyboard(Browser browser) throws Exception {
        String text = "document.querySelector('.plot p').textContent";
        browser.evaluate("document.querySelector('.plot .drawing').focus()");
        assertThat(browser.text(text)).startsWith("Now: ");
        browser.press("ArrowLeft");
        assertThat(browser.text(text)).doesNotStartWith("Now: ");
        browser.press("Tab");
        assertThat(browser.text("document.activeElement.tagName")).isNotEqualTo("BODY");
        browser.evaluate("document.querySelector('#id').value = 'none'");
        browser.evaluate("document.querySelector('#id').focus()");
        browser.press("Enter");
        await(
                () ->
                        assertThat(browser.text("document.querySelector('#answer').textContent"))
                                .contains("No member"));
        String unnamed =
                "[...document.querySelectorAll('button, input, select, textarea, svg')].filter(e"
                        + " => !(e.labels && e.labels.length) && !e.getAttribute('aria-label')"
                        + " && !e.textContent.trim()).map(e => e.outerHTML.slice(0, 80)).join()";
        assertThat(browser.text(unnamed)).as("controls without a name").isEmpty();
    }

    private static void hasAPageForEachMember(Browser browser) throws Exception {
        browser.click("#members tr:nth-child(3) a");
        await(
                () ->
                        assertThat(browser.text("document.activeElement.textContent"))
                                .isEqualTo("Member n3"));
        assertThat(shownSections(browser)).isEqualTo("member");
        assertThat(browser.text("document.querySelector('#member-rows').textContent"))
                .contains(
                        "stateup, for ",
                        "in the view of n1up",
                        "in the view of n2up",
                        "hintsnone to be sent");
        assertThat(count(browser, "#member-plots .plot")).isEqualTo(4);
        assertThat(browser.text("document.querySelector('#member-links').textContent"))
                .contains("Console of n3, if your browser reaches http://127.0.0.1:");
        assertThat(
                        browser.text(
                                "document.querySelector('#member-ring').getAttribute('aria-label')"))
                .isEqualTo("The ring, arcs of: n3");
        browser.screenshot(picture("member.png"));
        browser.click("#member-links a");
        await(() -> assertThat(shownSections(browser)).startsWith("health,cluster,keys,load"));
        browser.evaluate("location.hash = '#member/n1'");
        await(() -> assertThat(shownSections(browser)).isEqualTo("member"));
        assertThat(browser.text("document.querySelector('#member-rows').textContent"))
                .contains("statethis node", "quorum3 of 3", "in the view of n2up");
        browser.evaluate("location.hash = '#member/nobody'");
        await(() -> assertThat(shownSections(browser)).startsWith("health,cluster,keys,load"));
    }

    private static String shownSections(Browser browser) throws Exception {
        return browser.text(
                "[...document.querySelectorAll('main > section')].filter(s => !s.hidden)"
                        + ".map(s => s.id).join()");
    }

    private static void changesItsColours(Browser browser) throws Exception {
        String colour = "getComputedStyle(document.body).backgroundColor";
        String before = browser.text(colour);
        browser.click("#theme");
        assertThat(browser.text(colour)).isNotEqualTo(before);
        browser.click("#theme");
        assertThat(browser.text(colour)).isEqualTo(before);
    }

    private static void fitsAPhone(Browser browser) throws Exception {
        browser.size(NARROW, 800);
        await(
                () ->
                        assertThat(
                                        browser.evaluate("document.documentElement.scrollWidth")
                                                .getAsInt())
                                .isLessThanOrEqualTo(NARROW));
        Files.deleteIfExists(picture("narrow.png"));
    }
}
