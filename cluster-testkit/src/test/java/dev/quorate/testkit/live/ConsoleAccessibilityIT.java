package dev.quorate.testkit.live;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.awaitility.Awaitility;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The console breaks no rule of axe-core, in its light and dark colours and at three widths, with
 * all members and with a dead one, and nothing of it is cut off. Skipped where Chromium is not
 * installed or axe-core cannot be had. With {@code -Dquorate.pictures=FOLDER} it writes the
 * pictures of the documentation there.
 */
final class ConsoleAccessibilityIT {

    private static final int MAX_PICTURE_BYTES = 150_000;

    private static final int[] WIDTHS = {1280, 768, 390};

    private static final String MEMBER = "String(document.querySelector('#member').hidden)";

    @TempDir private Path data;

    private static void await(ThrowingRunnable assertion) {
        Awaitility.await().atMost(Duration.ofSeconds(60)).untilAsserted(assertion);
    }

    private static <T> T orSkip(Optional<T> needed, String missing) {
        return needed.orElseGet(() -> Assumptions.abort("Skipped: " + missing));
    }

    @Test
    void noRuleIsBroken() throws Exception {
        Path program =
                orSkip(
                        Browser.program(),
                        "Chromium is not installed (-Dquorate.chromium=PATH names it).");
        Axe axe = orSkip(Axe.fetch(), "axe-core cannot be had by npm (-Dquorate.axe=PATH).");
        try (NodesInOneProcess nodes = new NodesInOneProcess(data.resolve("nodes"), 3);
                EntityClient entities = new EntityClient(nodes.url(1));
                Browser browser = new Browser(program, data.resolve("profile"))) {
            for (int i = 0; i < 100; i++) {
                assertThat(entities.put("user/" + i, "value", "2/3").statusCode()).isEqualTo(201);
            }
            browser.size(1280, 900);
            browser.open(nodes.url(1) + "/");
            await(
                    () ->
                            assertThat(browser.text("document.querySelector('#state').textContent"))
                                    .isEqualTo("serves"));
            browser.click("#find button");
            await(
                    () ->
                            assertThat(
                                            browser.text(
                                                    "document.querySelector('#listing-state').textContent"))
                                    .isEqualTo("The first 50 keys."));
            browser.click("#id");
            browser.type("user/1");
            browser.click("#ask button");
            await(
                    () ->
                            assertThat(
                                            browser.evaluate(
                                                            "document.querySelectorAll('#answer"
                                                                    + " tbody tr').length")
                                                    .getAsInt())
                                    .isEqualTo(3));
            hasNoViolation(browser, axe, "");
            nodes.stop(3);
            await(
                    () ->
                            assertThat(
                                            browser.text(
                                                    "document.querySelector('#verdict').textContent"))
                                    .contains("without n3"));
            hasNoViolation(browser, axe, "-dead");
            browser.evaluate("document.querySelector('#id').labels[0].remove()");
            browser.evaluate("document.querySelector('#id').removeAttribute('placeholder')");
            assertThat(axe.violations(browser)).as("a rule is broken").isNotEmpty();
        }
    }

    /**
     * Looks at the whole page and at the page of a member.
     *
     * @param state in the names of the pictures
     */
    private static void hasNoViolation(Browser browser, Axe axe, String state) throws Exception {
        for (String colours : new String[] {"light", "dark"}) {
            browser.prefers(colours);
            for (int width : WIDTHS) {
                browser.size(width, 900);
                String name = colours + state + ", " + width;
                assertThat(axe.violations(browser)).as(name).isEmpty();
                assertThat(browser.evaluate("document.documentElement.scrollWidth").getAsInt())
                        .as(name)
                        .isLessThanOrEqualTo(width);
                picture(browser, "console" + state, colours, width);
                browser.evaluate("location.hash = '#member/n2'");
                await(() -> assertThat(browser.text(MEMBER)).isEqualTo("false"));
                assertThat(axe.violations(browser)).as(name).isEmpty();
                picture(browser, "member" + state, colours, width);
                browser.evaluate("location.hash = '#cluster'");
                await(() -> assertThat(browser.text(MEMBER)).isEqualTo("true"));
                browser.evaluate("window.scrollTo(0, 0)");
            }
        }
    }

    private static void picture(Browser browser, String page, String colours, int width)
            throws Exception {
        String folder = System.getProperty("quorate.pictures");
        if (folder != null) {
            Path file =
                    Path.of(folder, page + "-" + colours + "-" + width + ".png").toAbsolutePath();
            browser.size(width, 640);
            browser.screenshotOfWindow(file);
            assertThat(Files.size(file)).isLessThan(MAX_PICTURE_BYTES);
        }
    }
}
