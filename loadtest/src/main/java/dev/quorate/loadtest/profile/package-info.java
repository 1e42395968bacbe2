/** Profiles of nodes under load. */
package dev.quorate.loadtest.profile;
