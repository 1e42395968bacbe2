/** Which members are the replicas of a key, and in which order. */
@NullMarked
package dev.quorate.router.placement;

import org.jspecify.annotations.NullMarked;
