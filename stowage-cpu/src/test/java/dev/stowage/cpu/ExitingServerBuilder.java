package dev.stowage.cpu;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import javax.management.MBeanServer;
import javax.management.MBeanServerBuilder;
import javax.management.MBeanServerDelegate;

/**
 * Ends the process at the worst time: while the platform's management server is made, or while the JVM reads compiler
 * directives. {@link CompilerRulesTest} has the JVM take it, by a system property.
 */
public final class ExitingServerBuilder extends MBeanServerBuilder {

    /** The system property that says when; its values are below. */
    static final String WHEN = "stowage.test.exit";

    /** To end when the server is made, without any clean-up, as a killed process does. */
    static final String WHEN_MADE = "made";

    /** To end in an orderly way when directives are added. */
    static final String WHEN_ADDING = "adding";

    /** For the JVM. */
    public ExitingServerBuilder() {}

    @Override
    public MBeanServer newMBeanServer(String domain, MBeanServer outer, MBeanServerDelegate delegate) {
        if (WHEN_MADE.equals(System.getProperty(WHEN))) {
            Runtime.getRuntime().halt(0);
        }
        MBeanServer server = super.newMBeanServer(domain, outer, delegate);
        return (MBeanServer) Proxy.newProxyInstance(
                MBeanServer.class.getClassLoader(), new Class<?>[] {MBeanServer.class}, (_, method, arguments) -> {
                    if (method.getName().equals("invoke") && "compilerDirectivesAdd".equals(arguments[1])) {
                        System.exit(0);
                    }
                    try {
                        return method.invoke(server, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
