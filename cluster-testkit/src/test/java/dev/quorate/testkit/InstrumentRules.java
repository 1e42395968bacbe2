package dev.quorate.testkit;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnitAccess;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import com.tngtech.archunit.lang.syntax.elements.GivenClassesConjunction;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.Collection;
import java.util.Collections;
import java.util.Date;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import java.util.stream.BaseStream;

/** What makes a seed the same history each time, and the checker independent of what it checks. */
enum InstrumentRules {
    NO_CLOCK_OF_THEIR_OWN {
        @Override
        ArchRule rule() {
            return noInstruments()
                    .should(
                            call(
                                    "a clock",
                                    is(System.class, "nanoTime", "currentTimeMillis")
                                            .or(InstrumentRules::isNow)
                                            .or(is(Date.class, CONSTRUCTOR))
                                            .or(
                                                    is(
                                                            Clock.class,
                                                            "system",
                                                            "systemUTC",
                                                            "systemDefaultZone"))))
                    .orShould()
                    .dependOnClassesThat()
                    .haveFullyQualifiedName("dev.quorate.router.runtime.SystemTicker");
        }
    },

    NO_RANDOMNESS_BUT_THE_SEEDS {
        @Override
        ArchRule rule() {
            return noInstruments()
                    .should(
                            call(
                                    "randomness of its own",
                                    is(Math.class, "random")
                                            .or(is(ThreadLocalRandom.class, "current"))
                                            .or(is(UUID.class, "randomUUID"))
                                            .or(is(RandomGenerator.class, "getDefault", "of"))
                                            .or(is(SecureRandom.class, CONSTRUCTOR))
                                            .or(is(System.class, "identityHashCode"))
                                            .or(is(Random.class, CONSTRUCTOR).and(unseeded(0)))
                                            .or(
                                                    is(SplittableRandom.class, CONSTRUCTOR)
                                                            .and(unseeded(0)))
                                            .or(
                                                    is(Collections.class, "shuffle")
                                                            .and(unseeded(1)))));
        }
    },

    /** An executor that is given, and runs on the one thread there is, is none of their own. */
    NO_THREAD_OF_THEIR_OWN {
        private static final Set<String> WITH_THREADS =
                Set.of(
                        "java.lang.Thread",
                        "java.util.Timer",
                        "java.util.concurrent.CompletableFuture",
                        "java.util.concurrent.Executors",
                        "java.util.concurrent.ForkJoinPool",
                        "java.util.concurrent.ScheduledThreadPoolExecutor",
                        "java.util.concurrent.StructuredTaskScope",
                        "java.util.concurrent.ThreadPoolExecutor");

        @Override
        ArchRule rule() {
            return noInstruments()
                    .should(
                            call(
                                    "for a thread",
                                    access ->
                                            WITH_THREADS.contains(access.getTargetOwner().getName())
                                                    || isParallel(access)));
        }

        private static boolean isParallel(JavaCodeUnitAccess<?> access) {
            JavaClass owner = access.getTargetOwner();
            return switch (access.getName()) {
                case "parallelStream" -> owner.isAssignableTo(Collection.class);
                case "parallel" -> owner.isAssignableTo(BaseStream.class);
                default -> false;
            };
        }
    },

    /** The annotations for the compiler apart. */
    THE_CHECKER_USES_THE_JDK_ALONE {
        @Override
        ArchRule rule() {
            return classes()
                    .that()
                    .resideInAPackage("dev.quorate.testkit.history..")
                    .should()
                    .onlyDependOnClassesThat()
                    .resideInAnyPackage(
                            "dev.quorate.testkit.history",
                            "java.lang..",
                            "java.util..",
                            "java.io",
                            "java.nio..",
                            "java.security",
                            "org.jspecify.annotations");
        }
    },

    SIMULATED_DISKS_ARE_FOR_TESTS {
        @Override
        ArchRule rule() {
            return noClasses()
                    .that()
                    .resideOutsideOfPackages(
                            "dev.quorate.storage.simulated", "dev.quorate.testkit..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAPackage("dev.quorate.storage.simulated..");
        }
    };

    private static final String CONSTRUCTOR = "<init>";

    abstract ArchRule rule();

    private static GivenClassesConjunction noInstruments() {
        return noClasses()
                .that()
                .resideInAnyPackage(
                        "dev.quorate.testkit.simulation..", "dev.quorate.testkit.history..");
    }

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

    private static Predicate<JavaCodeUnitAccess<?>> is(Class<?> owner, String... names) {
        return access ->
                access.getTargetOwner().getName().equals(owner.getName())
                        && List.of(names).contains(access.getName());
    }

    /** Takes no more than so many parameters: one more would be the source of the randomness. */
    private static Predicate<JavaCodeUnitAccess<?>> unseeded(int parameters) {
        return access -> access.getTarget().getRawParameterTypes().size() == parameters;
    }

    /** Instant.now() and its like, whose clock is the machine's unless one is given. */
    private static boolean isNow(JavaCodeUnitAccess<?> access) {
        return access.getName().equals("now")
                && access.getTargetOwner().getPackageName().equals("java.time")
                && access.getTarget().getRawParameterTypes().stream()
                        .noneMatch(type -> type.isEquivalentTo(Clock.class));
    }
}
