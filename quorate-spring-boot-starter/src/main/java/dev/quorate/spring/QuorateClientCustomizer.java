package dev.quorate.spring;

import dev.quorate.client.QuorateClient;

/** A bean of this type changes the settings of the client, after the properties. */
@FunctionalInterface
public interface QuorateClientCustomizer {

    void customize(QuorateClient.Builder builder);
}
