/** JSON that a node writes: objects by Gson, and keys and values that may be no text. */
@NullMarked
package dev.quorate.node.json;

import org.jspecify.annotations.NullMarked;
