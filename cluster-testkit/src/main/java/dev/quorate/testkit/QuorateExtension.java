package dev.quorate.testkit;

import dev.quorate.client.QuorateClient;
import java.lang.reflect.AnnotatedElement;
import java.util.Optional;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.commons.support.AnnotationSupport;

/** The JUnit extension behind {@link QuorateTest}. The stores of JUnit close what is in them. */
final class QuorateExtension implements ParameterResolver, AfterEachCallback {

    private static final Namespace NAMESPACE = Namespace.create(QuorateExtension.class);
    private static final String KEY = "cluster";
    private static final String CLIENT = "client";

    private record Found(QuorateTest annotation, ExtensionContext context) {}

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        return type == QuorateCluster.class || type == QuorateClient.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        Found found = find(context);
        QuorateTest annotation = found.annotation();
        ExtensionContext owner = annotation.shared() ? found.context() : context;
        if (owner.getTestMethod().isEmpty() && !annotation.shared()) {
            throw new ParameterResolutionException(
                    "Only a shared cluster outlives a test method: say @QuorateTest(shared = true)"
                            + " on the class.");
        }
        ExtensionContext.Store store = owner.getStore(NAMESPACE);
        QuorateCluster cluster =
                store.getOrComputeIfAbsent(KEY, _ -> start(annotation), QuorateCluster.class);
        return parameter.getParameter().getType() == QuorateCluster.class
                ? cluster
                : store.getOrComputeIfAbsent(CLIENT, _ -> cluster.client(), QuorateClient.class);
    }

    /** The annotation of the method, or else of the innermost annotated class. */
    private static Found find(ExtensionContext context) {
        Optional<ExtensionContext> at = Optional.of(context);
        while (at.isPresent()) {
            Optional<AnnotatedElement> element = at.get().getElement();
            Optional<QuorateTest> found =
                    AnnotationSupport.findAnnotation(element, QuorateTest.class);
            if (found.isPresent()) {
                if (found.get().shared() && at.get().getTestMethod().isPresent()) {
                    throw new ParameterResolutionException(
                            "A cluster is shared by the tests of a class: say so on the class.");
                }
                return new Found(found.get(), at.get());
            }
            at = at.get().getParent();
        }
        throw new ParameterResolutionException("There is no @QuorateTest here.");
    }

    private static QuorateCluster start(QuorateTest annotation) {
        QuorateCluster.Builder builder = QuorateCluster.builder().nodes(annotation.nodes());
        for (String setting : annotation.settings()) {
            int equals = setting.indexOf('=');
            if (equals < 1) {
                throw new ParameterResolutionException(
                        "A setting is key=value, and this one is '" + setting + "'.");
            }
            builder.setting(setting.substring(0, equals), setting.substring(equals + 1));
        }
        return builder.start();
    }

    /** Prints the cluster of a failed test, shared or not, and what has been logged. */
    @Override
    public void afterEach(ExtensionContext context) {
        QuorateCluster cluster = context.getStore(NAMESPACE).get(KEY, QuorateCluster.class);
        String log = TestLog.take();
        if (cluster != null && context.getExecutionException().isPresent()) {
            System.err.println(context.getDisplayName() + " failed. " + cluster.describe());
            System.err.print(log);
        }
    }
}
