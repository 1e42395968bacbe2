package dev.quorate.cli;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import dev.quorate.cli.local.KnowsACommand;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What the command line may know. Each rule is also shown a class that breaks it. */
final class ArchitectureTest {

    private static final Set<String> EFFECTS =
            Set.of(
                    "java.lang.System.nanoTime",
                    "java.lang.System.currentTimeMillis",
                    "java.time.Instant.now",
                    "java.time.Clock.systemUTC",
                    "java.lang.Thread.sleep",
                    "java.util.concurrent.TimeUnit.sleep",
                    "java.lang.Math.random",
                    "java.util.UUID.randomUUID",
                    "java.util.concurrent.ThreadLocalRandom.current",
                    "java.util.random.RandomGenerator.getDefault",
                    "java.util.random.RandomGenerator.of",
                    "java.util.Random.<init>",
                    "java.security.SecureRandom.<init>");

    private static final JavaClasses MAIN =
            new ClassFileImporter()
                    .withImportOption(new ImportOption.DoNotIncludeTests())
                    .importPackages("dev.quorate.cli");

    private static final ArchRule COMMANDS_KNOW_WHAT_THEY_MAY =
            classes()
                    .that()
                    .resideInAPackage("dev.quorate.cli..")
                    .should()
                    .onlyDependOnClassesThat()
                    .resideInAnyPackage(
                            "java.lang..",
                            "java.util..",
                            "java.io",
                            "java.net..",
                            "java.nio",
                            "java.nio.charset",
                            "java.nio.file..",
                            "java.security..",
                            "javax.net.ssl",
                            "java.time..",
                            "org.jspecify.annotations",
                            "org.slf4j",
                            "picocli",
                            "dev.quorate.cli..",
                            "dev.quorate.client",
                            "dev.quorate.node",
                            "dev.quorate.node.access",
                            "dev.quorate.node.config",
                            "dev.quorate.node.http",
                            "dev.quorate.node.http.parse",
                            "dev.quorate.node.json",
                            "dev.quorate.node.directory",
                            "dev.quorate.router.runtime",
                            "dev.quorate.router.topology",
                            "dev.quorate.node.tls",
                            "dev.quorate.storage..");

    private static final ArchRule THE_SUPERVISOR_KNOWS_NO_COMMAND_AND_LITTLE_OF_THE_NODE =
            noClasses()
                    .that()
                    .resideInAPackage("dev.quorate.cli.local")
                    .should()
                    .dependOnClassesThat(
                            resideInAPackage("dev.quorate..")
                                    .and(
                                            not(
                                                    resideInAnyPackage(
                                                            "dev.quorate.cli.local",
                                                            "dev.quorate.node.http",
                                                            "dev.quorate.node.http.parse",
                                                            "dev.quorate.node.json",
                                                            "dev.quorate.router.runtime",
                                                            "dev.quorate.node.tls"))));

    /** Entities are read and written by quorate-client; all other pages are asked for by Node. */
    private static final ArchRule ONE_USER_OF_HTTP =
            noClasses()
                    .that()
                    .haveNameNotMatching("dev\\.quorate\\.cli\\.local\\.Node(Access)?(\\$.*)?")
                    .should()
                    .dependOnClassesThat()
                    .resideInAPackage("java.net.http");

    /** Main makes what the commands are given. */
    private static final ArchRule TIME_AND_RANDOMNESS_ARE_GIVEN =
            noClasses()
                    .that()
                    .doNotHaveFullyQualifiedName("dev.quorate.cli.Main")
                    .should()
                    .accessTargetWhere(
                            describe(
                                    "are clocks, sleeps or randomness",
                                    access ->
                                            EFFECTS.contains(
                                                    access.getTargetOwner().getName()
                                                            + "."
                                                            + access.getName())));

    static final class OpensAFile {
        static @Nullable Object open(Path file) throws IOException {
            return FileChannel.open(file);
        }
    }

    static final class UsesHttp {
        static Object http() {
            return java.net.http.HttpClient.newHttpClient();
        }
    }

    /** By a reference, which is a call that comes later. */
    static final class ReadsAClock {
        static LongSupplier clock() {
            return System::nanoTime;
        }
    }

    private static Stream<Arguments> rules() {
        return Stream.of(
                arguments(COMMANDS_KNOW_WHAT_THEY_MAY, OpensAFile.class),
                arguments(
                        THE_SUPERVISOR_KNOWS_NO_COMMAND_AND_LITTLE_OF_THE_NODE,
                        KnowsACommand.class),
                arguments(ONE_USER_OF_HTTP, UsesHttp.class),
                arguments(TIME_AND_RANDOMNESS_ARE_GIVEN, ReadsAClock.class));
    }

    @ParameterizedTest
    @MethodSource("rules")
    void theRuleHoldsForTheCommandLine(ArchRule rule, Class<?> offender) {
        assertThat(MAIN).hasSizeGreaterThan(10);
        rule.check(MAIN);
        JavaClasses offenders = new ClassFileImporter().importClasses(offender);
        assertThat(rule.evaluate(offenders).hasViolation()).isTrue();
    }
}
