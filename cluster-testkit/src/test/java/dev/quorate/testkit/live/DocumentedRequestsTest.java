package dev.quorate.testkit.live;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.testkit.page.Page;
import dev.quorate.testkit.page.Pages;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Every path that a page names, and each method that it names with one, is in openapi.json.
 * Decisions also name what was not built.
 */
final class DocumentedRequestsTest {

    private static final Path ROOT = Path.of(System.getProperty("quorate.root"));

    private static final String PATH = "/(?:v0|admin)/[a-z0-9/-]*[a-z0-9]";

    /** {@code GET /v0/ring}, as a sentence or a table has it. */
    private static final Pattern REQUEST =
            Pattern.compile("`(GET|HEAD|PUT|PATCH|POST|DELETE) (" + PATH + ")");

    private static final Pattern CURL =
            Pattern.compile("\\bcurl ([^|;`]*?)'?(?:https?://)?[\\w.…$]*(?::\\d+)?(" + PATH + ")");

    private static final Pattern ANY = Pattern.compile("(?<![\\w./-])" + PATH + "(?=[?`' )\n|])");

    @Test
    void everyPathOfEveryPageIsDescribed() throws IOException {
        Set<String> operations =
                new ApiDescription(Files.readString(ROOT.resolve("docs/openapi.json")))
                        .operations();
        Set<String> paths = new TreeSet<>();
        operations.forEach(each -> paths.add(each.substring(each.indexOf(' ') + 1)));
        List<String> wrong = new ArrayList<>();
        int curls = 0;
        for (Map.Entry<String, Page> page : Pages.all(ROOT).entrySet()) {
            if (page.getKey().startsWith("docs/decisions/")) {
                continue;
            }
            String text = page.getValue().text();
            for (String request : requests(text)) {
                curls++;
                if (!operations.contains(request)) {
                    wrong.add(page.getKey() + ": " + request);
                }
            }
            for (Matcher any = ANY.matcher(text); any.find(); ) {
                if (!paths.contains(any.group())) {
                    wrong.add(page.getKey() + ": " + any.group());
                }
            }
        }
        assertThat(wrong).isEmpty();
        assertThat(curls).isGreaterThan(40);
    }

    /** Method and path of each request that a page names. */
    private static List<String> requests(String text) {
        List<String> requests = new ArrayList<>();
        for (Matcher named = REQUEST.matcher(text); named.find(); ) {
            requests.add(named.group(1) + " " + named.group(2));
        }
        for (Matcher curl = CURL.matcher(text); curl.find(); ) {
            String request = text.substring(curl.start(), text.indexOf('\n', curl.start()));
            requests.add(method(request) + " " + curl.group(2));
        }
        return requests;
    }

    /** As curl chooses it. */
    private static String method(String curl) {
        Matcher named = Pattern.compile(" -X ?([A-Z]+)").matcher(curl);
        if (named.find()) {
            return named.group(1);
        }
        String options = curl.replaceAll("'[^']*'", "");
        return options.contains(" -I") || options.contains(" --head")
                ? "HEAD"
                : options.contains(" -T")
                        ? "PUT"
                        : options.contains(" -d ") || options.contains(" --data") ? "POST" : "GET";
    }

    @Test
    void requestsAreRead() {
        String page =
                """
                `GET /v0/ring`, `curl -f http://…:8080/admin/can-stop`
                curl -s -X DELETE 'localhost:8080/admin/checkpoint?name=a'
                curl -d @- 'localhost:8080/v0/entities' -H 'Accept: -I'
                curl -T file 'http://10.0.0.1:8080/v0/entity?id=a'
                """;
        assertThat(requests(page))
                .containsExactly(
                        "GET /v0/ring",
                        "GET /admin/can-stop",
                        "DELETE /admin/checkpoint",
                        "POST /v0/entities",
                        "PUT /v0/entity");
    }
}
