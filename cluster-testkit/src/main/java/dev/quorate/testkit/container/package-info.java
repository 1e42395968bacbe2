/** Nodes in containers, for tests with Testcontainers. */
@NullMarked
package dev.quorate.testkit.container;

import org.jspecify.annotations.NullMarked;
