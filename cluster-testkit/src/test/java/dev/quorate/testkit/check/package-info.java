/** What {@code ./quorate check} is made of, and the whole of it against nodes that lie. */
@NullMarked
package dev.quorate.testkit.check;

import org.jspecify.annotations.NullMarked;
