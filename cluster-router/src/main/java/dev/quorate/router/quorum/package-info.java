/** Quorums: the number of replicas that must agree, and the decision of an operation. */
@NullMarked
package dev.quorate.router.quorum;

import org.jspecify.annotations.NullMarked;
