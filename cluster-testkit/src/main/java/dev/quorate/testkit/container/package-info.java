/** Nodes in containers, for tests that have Testcontainers. */
@NullMarked
package dev.quorate.testkit.container;

import org.jspecify.annotations.NullMarked;
