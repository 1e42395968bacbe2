/** The hybrid logical clock, which stamps writes. */
package dev.quorate.router.clock;
