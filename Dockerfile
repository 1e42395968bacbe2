# Builds Quorate and makes an image that runs one node: see docker-compose.yml for three.
# Needs no BuildKit.

FROM eclipse-temurin:25-jdk AS build
RUN apt-get update \
    && apt-get install -y --no-install-recommends maven \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /build
# The build's own files first: what they make Maven download stays cached while sources change.
COPY mvnw pom.xml ./
COPY .mvn .mvn
COPY storage-lsm/pom.xml storage-lsm/
COPY cluster-router/pom.xml cluster-router/
COPY cluster-node/pom.xml cluster-node/
COPY cluster-cli/pom.xml cluster-cli/
COPY quorate-client/pom.xml quorate-client/
COPY quorate-recipes/pom.xml quorate-recipes/
COPY quorate-spring-boot-starter/pom.xml quorate-spring-boot-starter/
COPY quorate-testcontainers/pom.xml quorate-testcontainers/
COPY cluster-testkit/pom.xml cluster-testkit/
COPY loadtest/pom.xml loadtest/
COPY quorate-bom/pom.xml quorate-bom/
RUN ./mvnw -B -q -Dmaven.test.skip=true -pl cluster-cli -am package && rm -rf ./*/target
COPY storage-lsm/src/main storage-lsm/src/main
COPY cluster-router/src/main cluster-router/src/main
COPY cluster-node/src/main cluster-node/src/main
COPY docs/openapi.json docs/
COPY quorate-client/src/main quorate-client/src/main
COPY cluster-cli/src/main cluster-cli/src/main
RUN ./mvnw -B -q -Dmaven.test.skip=true -pl cluster-cli -am package
COPY quorate ./
# Whatever mask the sources were checked out with, another user will read these.
RUN chmod a+rx quorate && chmod -R a+rX .mvn cluster-cli/target/dist

FROM eclipse-temurin:25-jre
LABEL org.opencontainers.image.title="Quorate" \
      org.opencontainers.image.description="One node of a sharded, replicated key-value cluster" \
      org.opencontainers.image.licenses="Apache-2.0"
# A fixed number rather than a name, so that an orchestrator can see that it is not root.
# /secret is for the one that the nodes of docker-compose.yml share.
RUN mkdir -p /data /secret && chown 10001:10001 /data /secret && chmod 700 /data /secret
COPY --from=build /build/.mvn/find-jdk.sh /opt/quorate/.mvn/
COPY --from=build /build/cluster-cli/target/dist/lib /opt/quorate/lib
COPY --from=build /build/quorate /opt/quorate/
# The classes of a node, read and linked once, by the Java that will run it.
RUN /opt/quorate/quorate rehearse
# Inside a container every address is the container's own.
ENV QUORATE_HOST=0.0.0.0 \
    QUORATE_DATA=/data
USER 10001:10001
VOLUME /data
# Clients, and peers.
EXPOSE 8080 18080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=5s --timeout=5s --start-period=30s --retries=3 \
    CMD ["/opt/quorate/quorate", "health"]
ENTRYPOINT ["/opt/quorate/quorate", "node"]
