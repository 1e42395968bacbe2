package dev.quorate.testkit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Gives JUnit test methods, and those that run before and after each, a cluster as a parameter of
 * the type {@link QuorateCluster}. One is started for each test method that asks for one, and
 * closed after it; where the test has failed, what was done to the cluster is printed.
 *
 * <pre>{@code
 * @QuorateTest(nodes = 3, settings = "request-timeout=300")
 * class MyTest {
 *     @Test
 *     void survivesTheLossOfANode(QuorateCluster cluster) { ... }
 * }
 * }</pre>
 *
 * <p>On a method it counts for that method, and what the class says does not.
 */
@Documented
@Inherited
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(QuorateExtension.class)
public @interface QuorateTest {

    /** How many nodes. */
    int nodes() default 3;

    /** Options of every node, each as {@code key=value}; see {@code QuorateCluster.Builder}. */
    String[] settings() default {};

    /**
     * Whether all tests of the class have the same cluster, one after the other, as it was left.
     * Only on a class. Then methods that run before and after all may ask for it too.
     */
    boolean shared() default false;
}
