package dev.quorate.router.topology;

import java.net.URI;

/** A named node of the cluster. */
public record Member(String name, URI url) {}
