package dev.quorate.loadtest.report.publish;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.Strictness;
import dev.quorate.harness.CommandException;
import dev.quorate.loadtest.load.Spectrum;
import dev.quorate.loadtest.report.Report;
import java.nio.file.Path;
import java.time.Instant;

/**
 * A report as JSON: the records of a report with all their components, by their names, below a
 * format number.
 *
 * <pre>
 * {"format": 1, "report": {"title": "...", "begun": "2026-11-22T18:40:00Z", ...}}
 * </pre>
 *
 * <p>A point of a spectrum is three numbers: milliseconds, share, answers. Whoever renames a
 * component, or changes what it means, changes the format number.
 */
final class ReportJson {

    /** What this class writes, and all that it reads. */
    static final int FORMAT = 1;

    private static final int MAX_REASON = 200;

    private static final Gson GSON =
            new GsonBuilder()
                    .setStrictness(Strictness.STRICT)
                    .disableHtmlEscaping()
                    // Of two factories for a type, Gson uses the later one.
                    .registerTypeAdapterFactory(new RecordAdapters())
                    .registerTypeAdapter(Instant.class, new TextAdapter<>(Instant::parse))
                    .registerTypeHierarchyAdapter(Path.class, new TextAdapter<>(Path::of))
                    .registerTypeAdapter(Spectrum.Point.class, new PointAdapter())
                    .create();

    private ReportJson() {}

    /** Writes. */
    static String write(Report report) {
        JsonObject document = new JsonObject();
        document.addProperty("format", FORMAT);
        document.add("report", GSON.toJsonTree(report));
        return GSON.toJson(document) + "\n";
    }

    /**
     * Reads.
     *
     * @param source what has the text, for the message
     * @throws CommandException if it is no report, or one of another format
     */
    static Report read(String source, String json) throws CommandException {
        try {
            JsonElement document = GSON.fromJson(json, JsonElement.class);
            if (document == null || !document.isJsonObject()) {
                throw new JsonParseException("it is no JSON object");
            }
            JsonElement format = document.getAsJsonObject().get("format");
            if (format == null || !format.isJsonPrimitive()) {
                throw new JsonParseException("it has no format number");
            }
            if (!format.getAsString().equals(Integer.toString(FORMAT))) {
                throw new CommandException(
                        source
                                + " has format "
                                + shortened(format.getAsString())
                                + ", and only format "
                                + FORMAT
                                + " can be read.");
            }
            Report report = GSON.fromJson(document.getAsJsonObject().get("report"), Report.class);
            if (report == null) {
                throw new JsonParseException("it lacks 'report'");
            }
            return report;
        } catch (JsonParseException e) {
            throw new CommandException(
                    source + " is no report: " + shortened(String.valueOf(e.getMessage())) + ".",
                    e);
        }
    }

    /** One line of what may come from the file. */
    private static String shortened(String reason) {
        String line = reason.lines().findFirst().orElse("");
        return line.length() <= MAX_REASON ? line : line.substring(0, MAX_REASON) + "…";
    }
}
