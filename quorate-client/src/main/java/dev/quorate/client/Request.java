package dev.quorate.client;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An HTTP request to any node.
 *
 * @param target path and query
 * @param headers names and values, alternating
 * @param body null for none
 */
record Request(String method, String target, List<String> headers, byte @Nullable [] body) {

    static Request get(String target) {
        return new Request("GET", target, List.of(), null);
    }

    Request with(String name, String value) {
        List<String> more = new ArrayList<>(headers);
        more.add(name);
        more.add(value);
        return new Request(method, target, more, body);
    }

    /** The same read, which waits for a change. */
    Request waiting(long millis) {
        return new Request(method, target + "&wait=" + Math.max(1, millis) + "ms", headers, body);
    }

    /** The same read of a range, which draws a token, or waits with one. */
    Request watching(String token) {
        return new Request(method, target + "&watch=" + token, headers, body);
    }

    /** The result of one request to one node. */
    sealed interface Attempt {

        /**
         * An answer.
         *
         * @param version {@code X-Quorate-Version}, or the version in a line of a batch; null if
         *     missing or invalid
         * @param isProblem whether the body is a problem document, as in all errors of nodes
         * @param contentType null if missing
         * @param expires {@code X-Quorate-Expires}, or that of a line of a batch; null if missing
         * @param retryAfterSeconds 0 if missing
         * @param watch {@code X-Quorate-Watch}; null if missing
         * @param explanation {@code X-Quorate-Explain} and each {@code X-Quorate-Replica}
         */
        record Answered(
                int status,
                @Nullable Version version,
                boolean isProblem,
                @Nullable String contentType,
                @Nullable Instant expires,
                long retryAfterSeconds,
                @Nullable String watch,
                List<String> explanation,
                byte[] body)
                implements Attempt {

            boolean isRefusal() {
                return status >= 400 && status < 500 && isProblem && !isNothingAttempted();
            }

            /**
             * Whether the node did nothing: it is overloaded or stopping, cannot check a condition,
             * or the client has reached a rate limit.
             */
            boolean isNothingAttempted() {
                return (status == 503 || status == 429 || status == 408) && isProblem;
            }

            @Override
            public String toString() {
                return status + (isProblem ? ": " + detail() : ", which did not come from a node");
            }

            String detail() {
                String text = new String(body, StandardCharsets.UTF_8);
                try {
                    return Json.shown(Json.object(text).text("detail"));
                } catch (Json.BadAnswerException e) {
                    return Json.shown(text);
                }
            }
        }

        /** No connection was opened, so nothing was sent. */
        record NotReached(String why) implements Attempt {
            @Override
            public String toString() {
                return "cannot be reached: " + why;
            }
        }

        /** The connection broke, or the timeout expired. The node may have executed the request. */
        record NotAnswered(String why) implements Attempt {
            @Override
            public String toString() {
                return "did not answer: " + why;
            }
        }

        /** The answer exceeded the limit of the client. */
        record TooLarge(long limitBytes) implements Attempt {
            @Override
            public String toString() {
                return "sent more than " + limitBytes + " bytes";
            }
        }

        /** Whether the node certainly did nothing. */
        default boolean isWithoutEffect() {
            return this instanceof NotReached
                    || (this instanceof Answered answered && answered.isNothingAttempted());
        }
    }
}
