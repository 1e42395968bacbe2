package dev.quorate.testkit.live;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
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
                                                    "[...document.querySelectorAll('#sights tr')]"
                                                            + ".map(r => r.textContent).join()"))
                                    .isEqualTo("n1·upup,n2up·up,n3upup·"));
            assertThat(count(browser, "#ring path")).isEqualTo(3);
            for (int i = 0; i < 200; i++) {
                assertThat(entities.put("key" + i, "value", "2/3").statusCode()).isEqualTo(201);
            }
            assertThat(entities.put("<b>&+ é", "value", "3/3").statusCode()).isEqualTo(201);
            await(
                    () ->
                            assertThat(
                                            browser.text(
                                                    "document.querySelector('.plot path').getAttribute('d')"))
                                    .startsWith("M")
                                    .isNotEqualTo("M0 0"));

            explainsAKey(browser);
            worksByKeyboard(browser);
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
        browser.evaluate("document.querySelector('.plot svg').focus()");
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
                "[...document.querySelectorAll('button, input, select, svg')].filter(e =>"
                        + " !(e.labels && e.labels.length) && !e.getAttribute('aria-label')"
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
                .contains("stateup, for ", "n1 sees itup", "n2 sees itup", "hintsnone to be sent");
        assertThat(count(browser, "#member-plots .plot")).isEqualTo(4);
        assertThat(browser.text("document.querySelector('#member-links').textContent"))
                .contains("Its own console, if your browser reaches http://127.0.0.1:");
        assertThat(
                        browser.text(
                                "document.querySelector('#member-ring').getAttribute('aria-label')"))
                .isEqualTo("The ring, arcs of: n3");
        browser.screenshot(picture("member.png"));
        browser.click("#member-links a");
        await(() -> assertThat(shownSections(browser)).startsWith("cluster,key,load"));
        browser.evaluate("location.hash = '#member/n1'");
        await(() -> assertThat(shownSections(browser)).isEqualTo("member"));
        assertThat(browser.text("document.querySelector('#member-rows').textContent"))
                .contains("statethis node", "quorum3 of 3", "n2 sees itup");
        browser.evaluate("location.hash = '#member/nobody'");
        await(() -> assertThat(shownSections(browser)).startsWith("cluster,key,load"));
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
