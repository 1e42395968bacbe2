package dev.quorate.loadtest.scenario;

import dev.quorate.loadtest.load.Load;

/**
 * What a scenario is sent to.
 *
 * @param url {@code http://host:port} of the node that takes all requests
 * @param api how it wants to be asked
 * @param keys that are there
 */
public record LoadTarget(String url, Load.Api api, int keys) {}
