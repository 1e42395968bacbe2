/** The replicas of a key, and their order. */
@NullMarked
package dev.quorate.router.placement;

import org.jspecify.annotations.NullMarked;
