/** Non-blocking connections with one outstanding request each, and parsers of their answers. */
@NullMarked
package dev.quorate.loadtest.http;

import org.jspecify.annotations.NullMarked;
