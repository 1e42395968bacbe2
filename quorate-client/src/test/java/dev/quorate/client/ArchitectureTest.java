package dev.quorate.client;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The client needs the JDK alone. Each rule is also shown a class that breaks it. */
final class ArchitectureTest {

    private static final Set<String> EFFECTS =
            Set.of(
                    "java.lang.System.nanoTime",
                    "java.lang.System.currentTimeMillis",
                    "java.time.Instant.now",
                    "java.lang.Thread.sleep",
                    "java.lang.Math.random",
                    "java.util.concurrent.ThreadLocalRandom.current");

    private static final JavaClasses MAIN =
            new ClassFileImporter()
                    .withImportOption(new ImportOption.DoNotIncludeTests())
                    .importPackages("dev.quorate.client");

    private static final ArchRule JDK_ALONE =
            classes()
                    .should()
                    .onlyDependOnClassesThat()
                    .resideInAnyPackage(
                            "dev.quorate.client",
                            "java..",
                            "javax.net.ssl",
                            "org.jspecify.annotations");

    private static final ArchRule ONE_USER_OF_HTTP =
            noClasses()
                    .that()
                    .doNotHaveSimpleName("Http")
                    .and()
                    .doNotHaveSimpleName("LimitedBody")
                    .should()
                    .dependOnClassesThat()
                    .resideInAPackage("java.net.http");

    private static final ArchRule TIME_AND_RANDOMNESS_ARE_GIVEN =
            noClasses()
                    .that()
                    .doNotHaveSimpleName("Effects")
                    .should()
                    .accessTargetWhere(
                            describe(
                                    "are clocks, sleeps or randomness",
                                    access ->
                                            EFFECTS.contains(
                                                    access.getTargetOwner().getName()
                                                            + "."
                                                            + access.getName())));

    private static Stream<Arguments> rules() {
        return Stream.of(
                Arguments.of(JDK_ALONE, ArchitectureTest.class),
                Arguments.of(ONE_USER_OF_HTTP, UsesHttp.class),
                Arguments.of(TIME_AND_RANDOMNESS_ARE_GIVEN, ReadsAClock.class));
    }

    static final class UsesHttp {
        static Object http() {
            return java.net.http.HttpClient.newHttpClient();
        }
    }

    static final class ReadsAClock {
        static long now() {
            return System.nanoTime();
        }
    }

    @ParameterizedTest
    @MethodSource("rules")
    void theRuleHolds(ArchRule rule, Class<?> offender) {
        assertThat(MAIN).hasSizeGreaterThan(20);
        rule.check(MAIN);
        JavaClasses offenders = new ClassFileImporter().importClasses(offender);
        assertThat(rule.evaluate(offenders).hasViolation()).isTrue();
    }
}
