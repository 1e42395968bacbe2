/** Writes JSON: objects by Gson, and keys and values that are bytes. */
@NullMarked
package dev.quorate.node.json;

import org.jspecify.annotations.NullMarked;
