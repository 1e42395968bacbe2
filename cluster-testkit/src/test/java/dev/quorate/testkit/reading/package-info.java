/** Compares the reading lists of docs/architecture.md with the classes that requests call. */
@NullMarked
package dev.quorate.testkit.reading;

import org.jspecify.annotations.NullMarked;
