/**
 * Who may do what: roles, access tokens and the file that lists them. Decides only; the package
 * {@code api} asks it about each request, and the composition root reads the file.
 *
 * <p>Allowed imports: of {@code http} the percent-encoding, of {@code runtime} the source of a file
 * that is followed.
 */
@NullMarked
package dev.quorate.node.access;

import org.jspecify.annotations.NullMarked;
