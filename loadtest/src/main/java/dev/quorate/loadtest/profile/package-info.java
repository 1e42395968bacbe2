/** Profiles of nodes while they are measured. */
@NullMarked
package dev.quorate.loadtest.profile;

import org.jspecify.annotations.NullMarked;
