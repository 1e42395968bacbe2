package dev.quorate.node.http.parse;

/**
 * Why a request was refused. The connection answers it and closes, because the start of the next
 * request is unknown or unwanted.
 *
 * @param status 400 to 505
 * @param detail one sentence for the client
 */
public record HttpFailure(int status, String detail) {

    public static HttpFailure malformed(String detail) {
        return new HttpFailure(400, detail);
    }
}
