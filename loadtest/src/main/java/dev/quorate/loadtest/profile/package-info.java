/** Profiles of nodes under load. */
@NullMarked
package dev.quorate.loadtest.profile;

import org.jspecify.annotations.NullMarked;
