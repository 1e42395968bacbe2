/**
 * Access control: roles, access tokens and the file that lists them. Decides only: the package
 * {@code api} calls it for each request, and the composition root reads the file.
 */
@NullMarked
package dev.quorate.node.access;

import org.jspecify.annotations.NullMarked;
