package dev.quorate.node.http.parse;

import dev.quorate.node.http.HttpHead;
import dev.quorate.node.http.HttpHeaders;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The head of one request: offsets into its bytes, so that only used parts become strings. Reused
 * for the next request of its connection.
 *
 * <p>Layout of a header's offsets: four numbers of 16 bits in a long, from the highest: start and
 * end of its name, start and end of its value, from the head's first byte.
 */
public final class RequestHead implements HttpHead {

    static final long NO_LENGTH = -1;

    /** A longer path is not cached for the next request: many idle connections may have one. */
    private static final int MAX_KEPT_PATH = 128;

    private static final byte[] NOTHING = {};
    private static final String[] METHODS = {
        "GET", "PUT", "HEAD", "DELETE", "POST", "PATCH", "OPTIONS"
    };

    private byte[] bytes = NOTHING;
    private int base;
    private boolean readable;

    private long[] places = new long[8];
    private int count;

    private String method = "";
    private String path = "";
    private @Nullable String query;
    private @Nullable String authority;
    private boolean http10;

    // Set while the lines are parsed.
    long contentLength = NO_LENGTH;
    boolean chunked;
    boolean expectContinue;
    boolean hasHost;
    boolean close;
    boolean keepAlive;

    /** Whether Connection asks for an upgrade. */
    boolean upgrade;

    /** Whether there are headers whose names begin like those that change a request's meaning. */
    boolean special;

    static RequestHead ofMessages(String path) {
        RequestHead head = new RequestHead();
        head.method = "POST";
        head.path = path;
        head.readable = true;
        return head;
    }

    void reset() {
        count = 0;
        query = null;
        if (path.length() > MAX_KEPT_PATH) {
            path = "";
        }
        bytes = NOTHING;
        readable = false;
        contentLength = NO_LENGTH;
        chunked = false;
        expectContinue = false;
        hasHost = false;
        close = false;
        keepAlive = false;
        upgrade = false;
        special = false;
        authority = null;
    }

    /** Sets the position of the head's bytes. They stay there until {@link #reset}. */
    void locate(byte[] in, int from) {
        bytes = in;
        base = from;
        readable = true;
    }

    void setMethod(byte[] in, int from, int to) {
        for (String known : METHODS) {
            if (HttpSyntax.equals(in, from, to, known)) {
                method = known;
                return;
            }
        }
        method = new String(in, from, to - from, StandardCharsets.ISO_8859_1);
    }

    /** Reuses the string of the path if it is the same as before. */
    void setTarget(byte[] in, int from, int to) {
        int mark = from;
        while (mark < to && in[mark] != '?') {
            mark++;
        }
        if (!HttpSyntax.equals(in, from, mark, path)) {
            path = new String(in, from, mark - from, StandardCharsets.ISO_8859_1);
        }
        query =
                mark < to
                        ? new String(in, mark + 1, to - mark - 1, StandardCharsets.ISO_8859_1)
                        : null;
    }

    /** Sets the root as the path of a target that has a host and no path. */
    void setRootTarget(byte[] in, int from, int to) {
        path = "/";
        query =
                from < to
                        ? new String(in, from + 1, to - from - 1, StandardCharsets.ISO_8859_1)
                        : null;
    }

    void setAuthority(String hostAndPort) {
        authority = hostAndPort;
    }

    void setHttp10(boolean old) {
        http10 = old;
    }

    int count() {
        return count;
    }

    void add(int nameStart, int nameEnd, int valueStart, int valueEnd) {
        if (count == places.length) {
            places = Arrays.copyOf(places, 2 * count);
        }
        places[count++] =
                ((long) nameStart << 48)
                        | ((long) nameEnd << 32)
                        | ((long) valueStart << 16)
                        | (long) valueEnd;
    }

    /** Whether Connection asks for an upgrade. */
    public boolean asksForUpgrade() {
        return upgrade;
    }

    @Override
    public String method() {
        return method;
    }

    @Override
    public String path() {
        return path;
    }

    @Override
    public @Nullable String query() {
        return query;
    }

    public boolean http10() {
        return http10;
    }

    /** Whether the client wants to keep the connection open. */
    public boolean staysOpen() {
        return !close && (!http10 || keepAlive);
    }

    @Override
    public @Nullable String first(String lowerCaseName) {
        if (authority != null && lowerCaseName.equals("host")) {
            return authority; // RFC 9112, 3.2.2
        }
        int index = find(lowerCaseName, 0);
        if (index < 0) {
            return null;
        }
        int from = base + (int) ((places[index] >>> 16) & 0xFFFF);
        int to = base + (int) (places[index] & 0xFFFF);
        return new String(bytes, from, to - from, StandardCharsets.ISO_8859_1);
    }

    @Override
    public HttpHeaders copy() {
        RequestHead copy = new RequestHead();
        copy.places = Arrays.copyOf(places, Math.max(count, 1));
        copy.count = count;
        long end = Arrays.stream(places, 0, count).map(place -> place & 0xFFFF).max().orElse(0);
        copy.bytes = Arrays.copyOfRange(bytes, base, base + (int) end);
        copy.authority = authority;
        copy.special = special;
        copy.expectContinue = expectContinue;
        copy.readable = true;
        return copy;
    }

    @Override
    public boolean expectsContinue() {
        return expectContinue;
    }

    @Override
    public boolean mayChangeMeaning() {
        return special;
    }

    @Override
    public boolean hasOther(String lowerCasePrefix, String lowerCaseKnown) {
        for (int i = 0; i < count; i++) {
            int from = base + (int) (places[i] >>> 48);
            int to = base + (int) ((places[i] >>> 32) & 0xFFFF);
            int prefixEnd = from + lowerCasePrefix.length();
            if (to >= prefixEnd
                    && HttpSyntax.equalsIgnoreCase(bytes, from, prefixEnd, lowerCasePrefix)
                    && !HttpSyntax.equalsIgnoreCase(bytes, from, to, lowerCaseKnown)) {
                return true;
            }
        }
        return false;
    }

    @Override
    public boolean isRepeated(String lowerCaseName) {
        int index = find(lowerCaseName, 0);
        return index >= 0 && find(lowerCaseName, index + 1) >= 0;
    }

    private int find(String lowerCaseName, int start) {
        if (!readable) {
            throw new IllegalStateException("headers are readable until handle() returns");
        }
        for (int i = start; i < count; i++) {
            int from = base + (int) (places[i] >>> 48);
            int to = base + (int) ((places[i] >>> 32) & 0xFFFF);
            if (HttpSyntax.equalsIgnoreCase(bytes, from, to, lowerCaseName)) {
                return i;
            }
        }
        return -1;
    }
}
