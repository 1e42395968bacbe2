/**
 * Clients of one request at a time, over sockets that do not block.
 *
 * <p>Allowed imports: the JDK.
 */
@NullMarked
package dev.quorate.loadtest.http;

import org.jspecify.annotations.NullMarked;
