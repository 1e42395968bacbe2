package dev.quorate.router;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Where a key's replicas are, and how many must agree, is decided without I/O, clock, threads and
 * randomness.
 */
class ArchitectureTest {

    private static final String[] PURE = {
        "dev.quorate.router.token",
        "dev.quorate.router.topology",
        "dev.quorate.router.ring",
        "dev.quorate.router.quorum"
    };

    private static final JavaClasses DECISIONS =
            new ClassFileImporter()
                    .withImportOption(new ImportOption.DoNotIncludeTests())
                    .importPackages(PURE);

    @Test
    void dependsOnTheJdkAndOnGuavasHashingOnly() {
        check(
                classes()
                        .should()
                        .onlyDependOnClassesThat()
                        .resideInAnyPackage(
                                Stream.concat(
                                                Stream.of(PURE),
                                                Stream.of(
                                                        "java.lang..",
                                                        "java.net",
                                                        "java.nio",
                                                        "java.nio.charset",
                                                        "java.util",
                                                        "java.util.function",
                                                        "java.util.regex",
                                                        "java.util.stream",
                                                        "com.google.common.hash",
                                                        "org.jspecify.annotations"))
                                        .toArray(String[]::new)));
    }

    @Test
    void usesOfTheNetworkOnlyTheNamesOfThings() {
        check(
                noClasses()
                        .should()
                        .dependOnClassesThat(
                                JavaClass.Predicates.resideInAPackage("java.net")
                                        .and(notNamed("java.net.URI"))
                                        .and(notNamed("java.net.URISyntaxException"))));
    }

    private static com.tngtech.archunit.base.DescribedPredicate<JavaClass> notNamed(String name) {
        return com.tngtech.archunit.base.DescribedPredicate.not(
                com.tngtech.archunit.core.domain.properties.HasName.Predicates.name(name));
    }

    @Test
    void usesNoClockNoThreadsAndNoRandomness() {
        check(
                noClasses()
                        .should()
                        .callMethod(System.class, "nanoTime")
                        .orShould()
                        .callMethod(System.class, "currentTimeMillis")
                        .orShould()
                        .callMethod(Math.class, "random")
                        .orShould()
                        .dependOnClassesThat()
                        .areAssignableTo(Thread.class)
                        .orShould()
                        .dependOnClassesThat()
                        .areAssignableTo(java.util.random.RandomGenerator.class)
                        .orShould()
                        .callMethod(java.util.UUID.class, "randomUUID"));
    }

    @Test
    void usesHashingInOnePlace() {
        check(
                noClasses()
                        .that()
                        .resideOutsideOfPackage("dev.quorate.router.token")
                        .should()
                        .dependOnClassesThat()
                        .resideInAPackage("com.google.."));
    }

    @Test
    void itsPackagesFormNoCycle() {
        check(slices().matching("dev.quorate.router.(*)..").should().beFreeOfCycles());
    }

    private static void check(ArchRule rule) {
        rule.check(DECISIONS);
    }
}
