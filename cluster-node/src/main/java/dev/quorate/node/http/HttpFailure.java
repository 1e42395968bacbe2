package dev.quorate.node.http;

/**
 * Why a request was not taken. The connection answers it once and closes, since where the next
 * request would begin is unknown or unwanted.
 *
 * @param status 400 to 505
 * @param detail one sentence for the client
 */
record HttpFailure(int status, String detail) {

    static HttpFailure malformed(String detail) {
        return new HttpFailure(400, detail);
    }
}
