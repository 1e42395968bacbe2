/** Decides whether a member votes, and rebuilds one that began with an empty directory. */
@NullMarked
package dev.quorate.node.membership;

import org.jspecify.annotations.NullMarked;
