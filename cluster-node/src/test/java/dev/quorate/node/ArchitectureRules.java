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
import java.util.HashMap;
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

    ROUTER_SEES_OF_STORAGE_ITS_INTERFACE_AND_NO_NODE {
        @Override
        ArchRule rule() {
            return noClasses()
                    .that()
                    .resideInAPackage("dev.quorate.router..")
                    .should()
                    .dependOnClassesThat(
                            describe(
                                    "are a node's or inside the storage engine",
                                    ArchitectureRules::isBeyondRouter));
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
                    .resideOutsideOfPackage("dev.quorate.node.http.connection")
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
                    .resideOutsideOfPackage("dev.quorate.router.transport")
                    .should()
                    .dependOnClassesThat()
                    .resideInAPackage("java.net.http..");
        }
    },

    FILE_CHANNELS_ARE_STORAGES_ALONE {
        @Override
        ArchRule rule() {
            // A connection may close half of a socket, which is a channel, but opens no file.
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
                    .resideOutsideOfPackage("dev.quorate.node.http.connection")
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
                    .doNotHaveFullyQualifiedName("dev.quorate.router.runtime.SystemTicker")
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
                        "dev.quorate.router.runtime.ExecutorScheduler",
                        "dev.quorate.node.clock.ClockReservation",
                        "dev.quorate.router.coordinator.Coordinator",
                        "dev.quorate.node.api.ClientApi",
                        "dev.quorate.node.http.connection.HttpListener",
                        "dev.quorate.router.replica.LocalReplica",
                        "dev.quorate.router.replica.ReadExecutor");

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

    /** What each package may know of the others in its module and the router. */
    PACKAGES_KNOW_WHAT_THEY_MAY {
        private static final String QUORATE = "dev.quorate.";
        private static final Set<String> PURE =
                Set.of("router.token", "router.topology", "router.ring", "router.quorum");
        private static final Map<String, List<String>> MAY_KNOW = new HashMap<>();

        static {
            mayKnow("node.access", "node.http", "node.http.parse", "router.runtime");
            mayKnow(
                    "node.admin",
                    "node.access",
                    "node.antientropy",
                    "node.api",
                    "node.api.answer",
                    "node.api.page",
                    "node.api.request",
                    "node.checkpoint",
                    "node.config",
                    "node.handoff",
                    "node.http",
                    "node.http.connection",
                    "node.http.parse",
                    "node.inquiry",
                    "node.json",
                    "node.membership",
                    "router.coordinator",
                    "router.health",
                    "router.message",
                    "router.runtime");
            mayKnow(
                    "node.antientropy",
                    "node.membership",
                    "router.background",
                    "router.message",
                    "router.replica",
                    "router.runtime");
            mayKnow(
                    "node.api",
                    "node.access",
                    "node.api.answer",
                    "node.api.page",
                    "node.api.request",
                    "node.http",
                    "node.http.budget",
                    "node.http.parse",
                    "node.json",
                    "router.conditional",
                    "router.coordinator",
                    "router.coordinator.operation",
                    "router.coordinator.range",
                    "router.coordinator.waiting",
                    "router.message",
                    "router.runtime");
            mayKnow(
                    "node.api.answer",
                    "node.api.request",
                    "node.http",
                    "node.http.parse",
                    "node.json",
                    "router.conditional",
                    "router.coordinator.operation",
                    "router.message",
                    "router.runtime");
            mayKnow(
                    "node.api.page",
                    "node.access",
                    "node.api.answer",
                    "node.api.request",
                    "node.http",
                    "router.runtime");
            mayKnow(
                    "node.api.request",
                    "node.access",
                    "router.coordinator.range",
                    "node.http",
                    "node.http.parse",
                    "router.conditional",
                    "router.message",
                    "router.runtime");
            mayKnow("node.checkpoint", "node.clock", "node.directory", "router.runtime");
            mayKnow("node.clock", "router.clock", "router.runtime");
            mayKnow("node.config", "router.message", "router.runtime");
            mayKnow(
                    "node.console",
                    "node.admin",
                    "node.antientropy",
                    "node.api",
                    "node.api.answer",
                    "node.api.page",
                    "node.api.request",
                    "node.handoff",
                    "node.http",
                    "node.json",
                    "node.membership",
                    "router.coordinator",
                    "router.health",
                    "router.message",
                    "router.runtime");
            mayKnow(
                    "node.directory",
                    "node.clock",
                    "router.decree",
                    "router.message",
                    "router.runtime");
            mayKnow(
                    "node.handoff",
                    "router.background",
                    "router.coordinator.operation",
                    "router.message",
                    "router.replica",
                    "router.runtime");
            mayKnow("node.http", "node.http.budget", "node.json", "router.runtime");
            mayKnow("node.http.budget", "router.runtime");
            mayKnow(
                    "node.http.connection",
                    "node.http",
                    "node.http.budget",
                    "node.http.parse",
                    "router.message",
                    "router.runtime");
            mayKnow("node.http.parse", "node.http", "node.http.budget", "router.runtime");
            mayKnow("node.inquiry", "router.message", "router.replica", "router.runtime");
            mayKnow("node.json");
            mayKnow(
                    "node.membership",
                    "node.directory",
                    "router.clock",
                    "router.decree",
                    "router.message",
                    "router.replica",
                    "router.runtime");
            mayKnow(
                    "node.peer",
                    "node.http",
                    "router.clock",
                    "router.conditional",
                    "router.message",
                    "router.replica",
                    "router.runtime",
                    "router.transport");
            mayKnow("node.tls");
            mayKnow("router.background", "router.message", "router.replica", "router.runtime");
            mayKnow("router.clock", "router.runtime");
            mayKnow("router.conditional");
            mayKnow(
                    "router.coordinator",
                    "router.clock",
                    "router.conditional",
                    "router.coordinator.admission",
                    "router.coordinator.conditional",
                    "router.coordinator.operation",
                    "router.coordinator.range",
                    "router.coordinator.readwrite",
                    "router.coordinator.waiting",
                    "router.message",
                    "router.replica",
                    "router.runtime");
            mayKnow(
                    "router.coordinator.admission",
                    "router.coordinator.operation",
                    "router.runtime");
            mayKnow(
                    "router.coordinator.conditional",
                    "router.clock",
                    "router.conditional",
                    "router.coordinator.admission",
                    "router.coordinator.operation",
                    "router.coordinator.readwrite",
                    "router.message",
                    "router.replica",
                    "router.runtime");
            mayKnow(
                    "router.coordinator.operation",
                    "router.clock",
                    "router.conditional",
                    "router.message",
                    "router.replica",
                    "router.runtime");
            mayKnow(
                    "router.coordinator.range",
                    "router.coordinator.operation",
                    "router.coordinator.readwrite",
                    "router.message",
                    "router.replica",
                    "router.runtime");
            mayKnow(
                    "router.coordinator.readwrite",
                    "router.clock",
                    "router.coordinator.admission",
                    "router.coordinator.operation",
                    "router.message",
                    "router.replica",
                    "router.runtime");
            mayKnow(
                    "router.coordinator.waiting",
                    "router.coordinator.operation",
                    "router.coordinator.readwrite",
                    "router.message",
                    "router.replica",
                    "router.runtime");
            mayKnow("router.health", "router.message", "router.runtime");
            mayKnow("router.decree");
            mayKnow("router.message", "router.conditional", "router.decree");
            mayKnow(
                    "router.replica",
                    "router.clock",
                    "router.conditional",
                    "router.message",
                    "router.runtime");
            mayKnow("router.runtime");
            mayKnow(
                    "router.transport",
                    "router.clock",
                    "router.health",
                    "router.message",
                    "router.replica",
                    "router.runtime");
            mayKnow("storage");
            mayKnow(
                    "storage.compaction",
                    "storage.cursor",
                    "storage.format",
                    "storage.io",
                    "storage.sstable");
            mayKnow("storage.cursor");
            mayKnow(
                    "storage.engine",
                    "storage.compaction",
                    "storage.cursor",
                    "storage.format",
                    "storage.io",
                    "storage.manifest",
                    "storage.memtable",
                    "storage.sstable",
                    "storage.wal");
            mayKnow("storage.format");
            mayKnow(
                    "storage.inspect",
                    "storage.cursor",
                    "storage.format",
                    "storage.io",
                    "storage.manifest",
                    "storage.sstable",
                    "storage.wal");
            mayKnow("storage.io");
            mayKnow("storage.manifest", "storage.format", "storage.io", "storage.sstable");
            mayKnow("storage.memtable", "storage.format");
            mayKnow("storage.simulated", "storage.io");
            mayKnow(
                    "storage.sstable",
                    "storage.format",
                    "storage.io",
                    "storage.sstable.block",
                    "storage.sstable.file",
                    "storage.sstable.filter",
                    "storage.sstable.index");
            mayKnow("storage.sstable.block", "storage.format", "storage.sstable.file");
            mayKnow("storage.sstable.file", "storage.format", "storage.io");
            mayKnow("storage.sstable.filter", "storage.format", "storage.sstable.file");
            mayKnow("storage.sstable.index", "storage.sstable.file");
            mayKnow("storage.wal", "storage.format", "storage.io");
        }

        private static void mayKnow(String name, String... others) {
            MAY_KNOW.put(name, List.of(others));
        }

        @Override
        ArchRule rule() {
            return classes()
                    .that()
                    .resideInAnyPackage(
                            "dev.quorate.node.*..",
                            "dev.quorate.router.*..",
                            "dev.quorate.storage..")
                    .should(
                            new ArchCondition<>("know only the packages that theirs may know") {
                                @Override
                                public void check(JavaClass type, ConditionEvents events) {
                                    checkDependencies(type, events);
                                }
                            });
        }

        private static void checkDependencies(JavaClass type, ConditionEvents events) {
            String own = packageOf(type);
            List<String> allowed = MAY_KNOW.getOrDefault(own, List.of());
            type.getDirectDependenciesFromSelf().stream()
                    .filter(dependency -> isRestricted(own, packageOf(dependency.getTargetClass())))
                    .filter(dependency -> !packageOf(dependency.getTargetClass()).equals(own))
                    .filter(dependency -> !allowed.contains(packageOf(dependency.getTargetClass())))
                    .forEach(
                            dependency ->
                                    events.add(
                                            SimpleConditionEvent.violated(
                                                    type, dependency.getDescription())));
        }

        // Every package may use the pure packages of the router. Another rule limits which parts of
        // the engine the router uses.
        private static boolean isRestricted(String own, String name) {
            return name.startsWith("node")
                    || (name.startsWith("router") && !PURE.contains(name))
                    || (own.startsWith("storage") && name.startsWith("storage."));
        }

        // What follows dev.quorate in its package's name.
        private static String packageOf(JavaClass type) {
            String name = type.getPackageName();
            return name.startsWith(QUORATE) ? name.substring(QUORATE.length()) : name;
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

    private static boolean isBeyondRouter(JavaClass type) {
        String name = type.getPackageName();
        return name.startsWith("dev.quorate.node")
                || (name.startsWith("dev.quorate.storage.") && !name.endsWith(".format"));
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
