/**
 * What a replica promises and accepts of conditional writes, and how their coordinator decides
 * (decision 0029). Pure: no I/O, no clock, no lock.
 */
@NullMarked
package dev.quorate.router.conditional;

import org.jspecify.annotations.NullMarked;
