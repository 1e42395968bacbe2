/** Reads through the Java client, beside the same reads by plain HTTP. */
@NullMarked
package dev.quorate.loadtest.client;

import org.jspecify.annotations.NullMarked;
