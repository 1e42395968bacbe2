package dev.quorate.cli.client;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.quorate.node.http.Percent;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The entries of a range, as a node sends them in lines of JSON. */
final class EntryLines {

    private static final Pattern LINE =
            Pattern.compile(
                    "\\{\"key\":\"([A-Za-z0-9+/=]*+)\",\"value\":\"([A-Za-z0-9+/=]*+)\".*\\}");

    private EntryLines() {}

    /** Prints a line for each. */
    static void print(InputStream json, PrintWriter out) throws IOException {
        BufferedReader lines = new BufferedReader(new InputStreamReader(json, ISO_8859_1));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            Matcher entry = LINE.matcher(line);
            if (!entry.matches()) {
                throw new IOException("a line of the range is not one of an entry");
            }
            out.println(decoded(entry.group(1)) + "\t" + decoded(entry.group(2)));
        }
    }

    private static String decoded(String base64) throws IOException {
        try {
            return Percent.encode(Base64.getDecoder().decode(base64));
        } catch (IllegalArgumentException e) {
            throw new IOException("a line of the range is not one of an entry", e);
        }
    }
}
