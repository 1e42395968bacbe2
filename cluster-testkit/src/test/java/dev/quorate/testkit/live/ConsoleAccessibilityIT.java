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
 * The console breaks no rule of axe-core, in its light and dark colours, on a screen and on a
 * phone. Skipped where Chromium is not installed or axe-core cannot be had. With {@code
 * -Dquorate.pictures=FOLDER} it writes the pictures of the documentation there.
 */
final class ConsoleAccessibilityIT {

    private static final int MAX_PICTURE_BYTES = 150_000;

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
            for (String colours : new String[] {"light", "dark"}) {
                browser.prefers(colours);
                for (int width : new int[] {1280, 390}) {
                    browser.size(width, 900);
                    assertThat(axe.violations(browser)).as("%s, %s", colours, width).isEmpty();
                    picture(browser, "console", colours, width);
                    browser.evaluate("location.hash = '#member/n2'");
                    await(() -> assertThat(browser.text(MEMBER)).isEqualTo("false"));
                    assertThat(axe.violations(browser)).as("%s, %s", colours, width).isEmpty();
                    picture(browser, "member", colours, width);
                    browser.evaluate("location.hash = '#cluster'");
                    await(() -> assertThat(browser.text(MEMBER)).isEqualTo("true"));
                }
            }
            browser.evaluate("document.querySelector('#id').labels[0].remove()");
            browser.evaluate("document.querySelector('#id').removeAttribute('placeholder')");
            assertThat(axe.violations(browser)).as("a rule is broken").isNotEmpty();
        }
    }

    private static void picture(Browser browser, String page, String colours, int width)
            throws Exception {
        String folder = System.getProperty("quorate.pictures");
        if (folder != null) {
            String name = page + "-" + colours + (width < 600 ? "-narrow" : "") + ".png";
            Path file = Path.of(folder, name).toAbsolutePath();
            browser.size(Math.min(width, 1000), 640);
            browser.screenshotOfWindow(file);
            assertThat(Files.size(file)).isLessThan(MAX_PICTURE_BYTES);
        }
    }
}
