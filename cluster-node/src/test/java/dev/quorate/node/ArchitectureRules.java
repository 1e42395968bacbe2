package dev.quorate.node;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnitAccess;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.io.RandomAccessFile;
import java.nio.channels.SocketChannel;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;

/** The rules of the house that a compiler does not know. */
enum ArchitectureRules {
    STORAGE_SEES_NEITHER_ROUTER_NOR_NODE {
        @Override
        ArchRule rule() {
            return noClasses()
                    .that()
                    .resideInAPackage("dev.quorate.storage..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage("dev.quorate.router..", "dev.quorate.node..");
        }
    },

    ROUTER_SEES_NEITHER_STORAGE_NOR_NODE {
        @Override
        ArchRule rule() {
            return noClasses()
                    .that()
                    .resideInAPackage("dev.quorate.router..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage("dev.quorate.storage..", "dev.quorate.node..");
        }
    },

    NO_CYCLES {
        @Override
        ArchRule rule() {
            // Each package on its own: a.b and a.b.c may not know each other both ways either.
            return slices().matching("dev.quorate.(**)").should().beFreeOfCycles();
        }
    },

    NO_CYCLES_OF_CLASSES {
        @Override
        ArchRule rule() {
            return slices().assignedFrom(
                            new SliceAssignment() {
                                @Override
                                public SliceIdentifier getIdentifierOf(JavaClass each) {
                                    return each.getPackageName().startsWith("dev.quorate")
                                            ? SliceIdentifier.of(outermost(each))
                                            : SliceIdentifier.ignore();
                                }

                                @Override
                                public String getDescription() {
                                    return "classes, each with those that it encloses,";
                                }
                            })
                    .should()
                    .beFreeOfCycles();
        }

        private static String outermost(JavaClass each) {
            String name = each.getBaseComponentType().getName();
            int nested = name.indexOf('$');
            return nested < 0 ? name : name.substring(0, nested);
        }
    },

    ONE_NIO_IS_HTTPS_ALONE {
        @Override
        ArchRule rule() {
            return noClasses()
                    .that()
                    .resideOutsideOfPackage("dev.quorate.node.http")
                    .should()
                    .dependOnClassesThat()
                    .resideInAPackage("one.nio..");
        }
    },

    HTTP_CLIENT_IS_TRANSPORTS_ALONE {
        @Override
        ArchRule rule() {
            return noClasses()
                    .that()
                    .resideOutsideOfPackage("dev.quorate.node.transport")
                    .should()
                    .dependOnClassesThat()
                    .resideInAPackage("java.net.http..");
        }
    },

    FILE_CHANNELS_ARE_STORAGES_ALONE {
        @Override
        ArchRule rule() {
            // The package http may close half of a socket, which is a channel, but opens no file.
            return noClasses()
                    .that()
                    .resideOutsideOfPackage("dev.quorate.storage.io")
                    .should()
                    .dependOnClassesThat(
                            describe(
                                    "are channels, SocketChannel apart",
                                    ArchitectureRules::isChannelOfFiles))
                    .orShould(
                            call(
                                    "for a random access file",
                                    constructorOf(RandomAccessFile.class)));
        }
    },

    SOCKET_CHANNELS_ARE_HTTPS_ALONE {
        @Override
        ArchRule rule() {
            return noClasses()
                    .that()
                    .resideOutsideOfPackage("dev.quorate.node.http")
                    .should()
                    .dependOnClassesThat()
                    .haveFullyQualifiedName(SocketChannel.class.getName());
        }
    },

    CLOCKS_ARE_INJECTED {
        @Override
        ArchRule rule() {
            return noClasses()
                    .that()
                    .doNotHaveFullyQualifiedName("dev.quorate.node.runtime.SystemTicker")
                    .should(
                            call(
                                    "a clock",
                                    is(System.class, "nanoTime", "currentTimeMillis")
                                            .or(ArchitectureRules::isNow)
                                            .or(constructorOf(Date.class))
                                            .or(
                                                    is(
                                                            Clock.class,
                                                            "systemUTC",
                                                            "systemDefaultZone",
                                                            "system"))));
        }
    },

    NOTHING_SLEEPS {
        @Override
        ArchRule rule() {
            return noClasses()
                    .should(
                            call(
                                    "sleep",
                                    is(Thread.class, "sleep").or(is(TimeUnit.class, "sleep"))));
        }
    },

    RANDOMNESS_IS_INJECTED {
        @Override
        ArchRule rule() {
            // ClusterNode makes what the others are given; the disk is given too.
            return noClasses()
                    .that()
                    .doNotHaveFullyQualifiedName("dev.quorate.node.ClusterNode")
                    .and()
                    .doNotHaveFullyQualifiedName("dev.quorate.storage.io.DiskFiles")
                    .should(
                            call(
                                    "randomness of its own",
                                    is(Math.class, "random")
                                            .or(is(ThreadLocalRandom.class, "current"))
                                            .or(is(UUID.class, "randomUUID"))
                                            .or(is(RandomGenerator.class, "getDefault", "of"))
                                            .or(unseeded(Random.class))
                                            .or(unseeded(SplittableRandom.class))
                                            .or(constructorOf(SecureRandom.class))));
        }
    },

    /** The parts that do things are made in one place, and handed to each other as interfaces. */
    ONLY_CLUSTER_NODE_WIRES {
        private static final Set<String> PARTS =
                Set.of(
                        "dev.quorate.storage.engine.LsmStore",
                        "dev.quorate.storage.io.DiskFiles",
                        "dev.quorate.node.admin.CheckpointPages",
                        "dev.quorate.node.admin.NodePages",
                        "dev.quorate.node.console.Console",
                        "dev.quorate.node.runtime.ExecutorScheduler",
                        "dev.quorate.node.clock.ClockReservation",
                        "dev.quorate.node.coordinator.Coordinator",
                        "dev.quorate.node.api.ClientApi",
                        "dev.quorate.node.http.HttpListener",
                        "dev.quorate.node.replica.LocalReplica",
                        "dev.quorate.node.replica.ReadExecutor");

        private static final Set<String> MAKERS = Set.of(CONSTRUCTOR, "open", "start");

        private static boolean samePackage(JavaCodeUnitAccess<?> access) {
            String from = access.getOriginOwner().getPackageName();
            return from.equals(access.getTargetOwner().getPackageName());
        }

        @Override
        ArchRule rule() {
            Predicate<JavaCodeUnitAccess<?>> makesPart =
                    access ->
                            PARTS.contains(access.getTargetOwner().getName())
                                    && MAKERS.contains(access.getName())
                                    && !samePackage(access);
            return noClasses()
                    .that()
                    .doNotHaveFullyQualifiedName("dev.quorate.node.ClusterNode")
                    .and()
                    .doNotHaveFullyQualifiedName("dev.quorate.node.NodeCore")
                    .should(call("for a part of a node", makesPart));
        }
    },

    NOBODY_KNOWS_THE_COMPOSITION_ROOT {
        @Override
        ArchRule rule() {
            return noClasses()
                    .that()
                    .resideOutsideOfPackage("dev.quorate.node")
                    .should()
                    .dependOnClassesThat()
                    .resideInAPackage("dev.quorate.node");
        }
    },

    /** What each package of the node may know of the others, as its package-info says. */
    PACKAGES_KNOW_WHAT_THEY_MAY {
        private static final Map<String, List<String>> MAY_KNOW = new LinkedHashMap<>();

        static {
            MAY_KNOW.put("access", List.of("http", "runtime"));
            MAY_KNOW.put(
                    "admin",
                    List.of(
                            "access",
                            "api",
                            "checkpoint",
                            "http",
                            "coordinator",
                            "handoff",
                            "health",
                            "antientropy",
                            "inquiry",
                            "message",
                            "membership",
                            "runtime"));
            MAY_KNOW.put(
                    "antientropy",
                    List.of("membership", "background", "replica", "message", "runtime"));
            MAY_KNOW.put(
                    "api",
                    List.of("http", "access", "coordinator", "conditional", "message", "runtime"));
            MAY_KNOW.put("background", List.of("replica", "message", "runtime"));
            MAY_KNOW.put("checkpoint", List.of("membership", "runtime"));
            MAY_KNOW.put("clock", List.of("runtime"));
            MAY_KNOW.put("config", List.of("runtime"));
            MAY_KNOW.put(
                    "console",
                    List.of(
                            "admin",
                            "api",
                            "http",
                            "coordinator",
                            "handoff",
                            "health",
                            "antientropy",
                            "membership",
                            "message",
                            "runtime"));
            MAY_KNOW.put("conditional", List.of());
            MAY_KNOW.put(
                    "coordinator",
                    List.of("replica", "conditional", "message", "clock", "runtime"));
            MAY_KNOW.put(
                    "handoff",
                    List.of("coordinator", "background", "replica", "message", "runtime"));
            MAY_KNOW.put("health", List.of("message", "runtime"));
            MAY_KNOW.put("http", List.of("runtime"));
            MAY_KNOW.put("inquiry", List.of("replica", "message", "runtime"));
            MAY_KNOW.put("membership", List.of("replica", "message", "clock", "runtime"));
            MAY_KNOW.put("message", List.of("conditional"));
            MAY_KNOW.put("replica", List.of("conditional", "message", "clock", "runtime"));
            MAY_KNOW.put("runtime", List.of());
            MAY_KNOW.put("tls", List.of());
            MAY_KNOW.put(
                    "transport",
                    List.of(
                            "tls",
                            "http",
                            "replica",
                            "conditional",
                            "message",
                            "health",
                            "clock",
                            "runtime"));
        }

        @Override
        ArchRule rule() {
            return classes()
                    .that()
                    .resideInAPackage("dev.quorate.node.*..")
                    .should(
                            new ArchCondition<>("know only the packages that theirs may know") {
                                @Override
                                public void check(JavaClass type, ConditionEvents events) {
                                    checkDependencies(type, events);
                                }
                            });
        }

        private static void checkDependencies(JavaClass type, ConditionEvents events) {
            String own = room(type);
            List<String> allowed = MAY_KNOW.getOrDefault(own, List.of());
            type.getDirectDependenciesFromSelf().stream()
                    .filter(dependency -> isOfNode(dependency.getTargetClass()))
                    .filter(dependency -> !room(dependency.getTargetClass()).equals(own))
                    .filter(dependency -> !allowed.contains(room(dependency.getTargetClass())))
                    .forEach(
                            dependency ->
                                    events.add(
                                            SimpleConditionEvent.violated(
                                                    type, dependency.getDescription())));
        }

        private static boolean isOfNode(JavaClass type) {
            return type.getPackageName().startsWith("dev.quorate.node");
        }

        // What follows dev.quorate.node in its package's name; empty for the root.
        private static String room(JavaClass type) {
            String name = type.getPackageName();
            return name.length() <= "dev.quorate.node.".length()
                    ? ""
                    : name.substring("dev.quorate.node.".length());
        }
    };

    private static final String CONSTRUCTOR = "<init>";

    abstract ArchRule rule();

    /** Calls, and references such as Instant::now, which are calls that come later. */
    private static ArchCondition<JavaClass> call(
            String what, Predicate<JavaCodeUnitAccess<?>> predicate) {
        return new ArchCondition<>("call " + what) {
            @Override
            public void check(JavaClass type, ConditionEvents events) {
                for (JavaCodeUnitAccess<?> access : type.getCodeUnitAccessesFromSelf()) {
                    if (predicate.test(access)) {
                        events.add(SimpleConditionEvent.satisfied(type, access.getDescription()));
                    }
                }
            }
        };
    }

    private static boolean isChannelOfFiles(JavaClass type) {
        return type.getPackageName().startsWith("java.nio.channels")
                && !type.isEquivalentTo(SocketChannel.class);
    }

    private static Predicate<JavaCodeUnitAccess<?>> is(Class<?> owner, String... names) {
        return access ->
                access.getTargetOwner().getName().equals(owner.getName())
                        && List.of(names).contains(access.getName());
    }

    private static Predicate<JavaCodeUnitAccess<?>> constructorOf(Class<?> owner) {
        return is(owner, CONSTRUCTOR);
    }

    private static Predicate<JavaCodeUnitAccess<?>> unseeded(Class<?> owner) {
        return constructorOf(owner)
                .and(access -> access.getTarget().getRawParameterTypes().isEmpty());
    }

    /** Instant.now() and its like; with a clock as argument they are as good as the clock. */
    private static boolean isNow(JavaCodeUnitAccess<?> access) {
        return access.getName().equals("now")
                && access.getTargetOwner().getPackageName().equals("java.time")
                && access.getTarget().getRawParameterTypes().stream()
                        .noneMatch(type -> type.isEquivalentTo(Clock.class));
    }
}
