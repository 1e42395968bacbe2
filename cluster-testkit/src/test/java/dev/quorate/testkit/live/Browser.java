package dev.quorate.testkit.live;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A page of a headless Chromium, by its DevTools protocol. */
final class Browser implements AutoCloseable {

    private static final String LISTENING = "DevTools listening on ";
    private static final int SECONDS = 30;

    private final Process process;
    private final HttpClient client = HttpClient.newHttpClient();
    private final WebSocket socket;
    private final AtomicInteger numbers = new AtomicInteger();
    private final Map<Integer, CompletableFuture<JsonObject>> asked = new ConcurrentHashMap<>();
    private final String session;

    /**
     * What the page has logged as an error, or thrown. A browser also logs answers such as a 404
     * and a 412, whatever the page does with them: these are left out.
     */
    final List<String> errors = Collections.synchronizedList(new ArrayList<>());

    /** The program, if it is installed; {@code -Dquorate.chromium=PATH} names it elsewhere. */
    static Optional<Path> program() {
        String given = System.getProperty("quorate.chromium");
        if (given != null) {
            return Optional.of(Path.of(given));
        }
        String[] folders =
                String.valueOf(System.getenv("PATH")).split(Pattern.quote(File.pathSeparator), -1);
        return Stream.of("chromium", "chromium-browser", "google-chrome")
                .flatMap(name -> Stream.of(folders).map(folder -> Path.of(folder, name)))
                .filter(Files::isExecutable)
                .findFirst();
    }

    Browser(Path program, Path profile) throws Exception {
        process =
                new ProcessBuilder(
                                program.toString(),
                                "--headless=new",
                                "--no-sandbox",
                                "--disable-gpu",
                                "--disable-dev-shm-usage",
                                "--no-first-run",
                                "--disable-background-networking",
                                "--disable-component-update",
                                // A name that the nodes do not have, as behind a proxy.
                                "--host-resolver-rules=MAP quorate.example 127.0.0.1",
                                "--remote-debugging-port=0",
                                "--user-data-dir=" + profile,
                                "about:blank")
                        .redirectErrorStream(true)
                        .start();
        socket =
                client.newWebSocketBuilder()
                        .buildAsync(URI.create(address()), new Listener())
                        .get(SECONDS, TimeUnit.SECONDS);
        JsonObject target = new JsonObject();
        target.addProperty("url", "about:blank");
        String id = ask("Target.createTarget", target, "").get("targetId").getAsString();
        JsonObject attach = new JsonObject();
        attach.addProperty("targetId", id);
        attach.addProperty("flatten", true);
        session = ask("Target.attachToTarget", attach, "").get("sessionId").getAsString();
        for (String domain : List.of("Page", "Runtime", "Log")) {
            ask(domain + ".enable", new JsonObject(), session);
        }
    }

    private String address() throws IOException {
        BufferedReader output =
                new BufferedReader(
                        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            if (line.startsWith(LISTENING)) {
                return line.substring(LISTENING.length());
            }
        }
        throw new IOException("the browser has ended with " + process.onExit().join().exitValue());
    }

    private JsonObject ask(String method, JsonObject parameters, String ofSession)
            throws Exception {
        int number = numbers.incrementAndGet();
        JsonObject message = new JsonObject();
        message.addProperty("id", number);
        message.addProperty("method", method);
        message.add("params", parameters);
        if (!ofSession.isEmpty()) {
            message.addProperty("sessionId", ofSession);
        }
        CompletableFuture<JsonObject> answer = new CompletableFuture<>();
        asked.put(number, answer);
        socket.sendText(message.toString(), true).get(SECONDS, TimeUnit.SECONDS);
        return answer.get(SECONDS, TimeUnit.SECONDS);
    }

    /** Goes to a page, without waiting for it. */
    void open(String url) throws Exception {
        JsonObject parameters = new JsonObject();
        parameters.addProperty("url", url);
        ask("Page.navigate", parameters, session);
    }

    /**
     * The value of an expression, or of what it promises.
     *
     * @throws AssertionError if it throws: an element may be missing until the page has loaded
     */
    JsonElement evaluate(String expression) throws Exception {
        JsonObject parameters = new JsonObject();
        parameters.addProperty("expression", expression);
        parameters.addProperty("returnByValue", true);
        parameters.addProperty("awaitPromise", true);
        JsonObject answer = ask("Runtime.evaluate", parameters, session);
        if (answer.has("exceptionDetails")) {
            throw new AssertionError(answer.get("exceptionDetails").toString());
        }
        return answer.getAsJsonObject("result").get("value");
    }

    String text(String expression) throws Exception {
        return evaluate("String(" + expression + ")").getAsString();
    }

    /** Presses and releases a key, as a person does. */
    void press(String key) throws Exception {
        for (String type : List.of("keyDown", "keyUp")) {
            JsonObject parameters = new JsonObject();
            parameters.addProperty("type", type);
            parameters.addProperty("key", key);
            parameters.addProperty("code", key);
            if (key.equals("Enter")) {
                parameters.addProperty("text", "\r");
                parameters.addProperty("windowsVirtualKeyCode", (int) '\r');
            }
            ask("Input.dispatchKeyEvent", parameters, session);
        }
    }

    /** Types into what has the focus. */
    void type(String text) throws Exception {
        JsonObject parameters = new JsonObject();
        parameters.addProperty("text", text);
        ask("Input.insertText", parameters, session);
    }

    /** Clicks on the middle of an element. */
    void click(String selector) throws Exception {
        String area =
                "(e => {e.scrollIntoView({block: 'center', behavior: 'instant'});"
                        + " const r = e.getBoundingClientRect();"
                        + " return (r.x + r.width / 2) + ' ' + (r.y + r.height / 2)})(document"
                        + ".querySelector('"
                        + selector
                        + "'))";
        String[] place = text(area).split(" ", 2);
        for (String type : List.of("mousePressed", "mouseReleased")) {
            JsonObject parameters = new JsonObject();
            parameters.addProperty("type", type);
            parameters.addProperty("x", Double.parseDouble(place[0]));
            parameters.addProperty("y", Double.parseDouble(place[1]));
            parameters.addProperty("button", "left");
            parameters.addProperty("clickCount", 1);
            ask("Input.dispatchMouseEvent", parameters, session);
        }
    }

    void size(int width, int height) throws Exception {
        JsonObject parameters = new JsonObject();
        parameters.addProperty("width", width);
        parameters.addProperty("height", height);
        parameters.addProperty("deviceScaleFactor", 1);
        parameters.addProperty("mobile", width < 600);
        ask("Emulation.setDeviceMetricsOverride", parameters, session);
    }

    /** Has pages believe that the user prefers light or dark colours. */
    void prefers(String colours) throws Exception {
        JsonObject feature = new JsonObject();
        feature.addProperty("name", "prefers-color-scheme");
        feature.addProperty("value", colours);
        JsonArray features = new JsonArray();
        features.add(feature);
        JsonObject parameters = new JsonObject();
        parameters.add("features", features);
        ask("Emulation.setEmulatedMedia", parameters, session);
    }

    /** Writes a picture of the whole page. */
    void screenshot(Path file) throws Exception {
        screenshot(file, true);
    }

    /** Writes a picture of what the window shows, from the top. */
    void screenshotOfWindow(Path file) throws Exception {
        evaluate("document.activeElement.blur()");
        evaluate("scrollTo({top: 0, behavior: 'instant'})");
        screenshot(file, false);
    }

    private void screenshot(Path file, boolean whole) throws Exception {
        JsonObject parameters = new JsonObject();
        parameters.addProperty("captureBeyondViewport", whole);
        String png = ask("Page.captureScreenshot", parameters, session).get("data").getAsString();
        Files.createDirectories(file.getParent());
        Files.write(file, Base64.getDecoder().decode(png));
    }

    @Override
    public void close() {
        client.shutdownNow();
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly().onExit().join();
    }

    private void received(String text) {
        JsonObject message = JsonParser.parseString(text).getAsJsonObject();
        if (message.has("id")) {
            CompletableFuture<JsonObject> answer = asked.remove(message.get("id").getAsInt());
            if (answer == null) {
                return;
            }
            if (message.has("error")) {
                answer.completeExceptionally(new IOException(message.get("error").toString()));
            } else {
                answer.complete(message.getAsJsonObject("result"));
            }
            return;
        }
        JsonObject parameters = message.getAsJsonObject("params");
        switch (message.get("method").getAsString()) {
            case "Runtime.exceptionThrown" -> errors.add(parameters.toString());
            case "Runtime.consoleAPICalled" -> {
                if (parameters.get("type").getAsString().equals("error")) {
                    errors.add(parameters.toString());
                }
            }
            case "Log.entryAdded" -> {
                JsonObject entry = parameters.getAsJsonObject("entry");
                boolean isAnswer = entry.toString().contains("responded with a status of 4");
                if (entry.get("level").getAsString().equals("error") && !isAnswer) {
                    errors.add(entry.toString());
                }
            }
            default -> {}
        }
    }

    /** Puts the parts of messages together. */
    private final class Listener implements WebSocket.Listener {

        private final StringBuilder parts = new StringBuilder();

        @Override
        public CompletionStage<?> onText(WebSocket from, CharSequence part, boolean isLast) {
            parts.append(part);
            if (isLast) {
                received(parts.toString());
                parts.setLength(0);
            }
            from.request(1);
            return null;
        }
    }
}
