/** The members of the cluster: a static, immutable list that is the same on every node. */
@NullMarked
package dev.quorate.router.topology;

import org.jspecify.annotations.NullMarked;
