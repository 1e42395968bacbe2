/** Containers of the image of this build. Allowed imports: the client and Testcontainers. */
@NullMarked
package dev.quorate.testcontainers;

import org.jspecify.annotations.NullMarked;
