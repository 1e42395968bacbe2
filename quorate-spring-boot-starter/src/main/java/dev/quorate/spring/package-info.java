/**
 * Quorate in an application of Spring Boot 3 or 4: a client, its health and observations, a cache,
 * and connections to containers of tests and of Docker Compose.
 */
@NullMarked
package dev.quorate.spring;

import org.jspecify.annotations.NullMarked;
