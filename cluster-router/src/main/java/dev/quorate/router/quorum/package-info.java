/** How many replicas must agree, and when an operation is decided. */
@NullMarked
package dev.quorate.router.quorum;

import org.jspecify.annotations.NullMarked;
