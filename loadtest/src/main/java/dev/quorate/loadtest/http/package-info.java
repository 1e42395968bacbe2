/** Clients of one request at a time, over sockets that do not block. */
@NullMarked
package dev.quorate.loadtest.http;

import org.jspecify.annotations.NullMarked;
