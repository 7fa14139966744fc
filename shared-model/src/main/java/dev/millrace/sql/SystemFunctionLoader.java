package dev.millrace.sql;

import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.h2.util.JdbcUtils;
import org.h2.util.Utils;

/**
 * Gives each SQL function a Java method of its own.
 *
 * <p>H2 does not tell a method under which name it was called, and the functions are known at run
 * time only. So {@link SystemFunctionEntry} is loaded once per function, each time by a class
 * loader that bears the function's name: an alias FOR {@code
 * dev.millrace.sql.SystemFunctionEntry#pg_current_wal_lsn.text} leads H2 through its class factory
 * to the copy that knows it is {@code pg_current_wal_lsn}. The alternative, fifty numbered methods
 * for each kind of result, would say less.
 */
final class SystemFunctionLoader implements Utils.ClassFactory {

  private static final String CLASS_NAME = SystemFunctionEntry.class.getName();
  private static final String PREFIX = CLASS_NAME + '#';

  static {
    JdbcUtils.addClassFactory(new SystemFunctionLoader());
  }

  private final Map<String, Class<?>> copies = new ConcurrentHashMap<>();

  private SystemFunctionLoader() {}

  /** What CREATE ALIAS names for the function. */
  static String methodFor(SystemFunction function) {
    String kind = function.scalar() ? kind(function.columns().get(0).type()) : "rows";
    return PREFIX + function.name() + '.' + kind;
  }

  private static String kind(String type) {
    switch (type) {
      case "bool":
      case "float8":
      case "numeric":
      case "timestamptz":
      case "bytea":
      case "int4":
      case "int8":
        return type;
      case "int2":
        return "int4";
      case "oid":
      case "xid":
        return "int8";
      default:
        return "text";
    }
  }

  @Override
  public boolean match(String name) {
    return name.startsWith(PREFIX);
  }

  @Override
  public Class<?> loadClass(String name) throws ClassNotFoundException {
    String function = name.substring(PREFIX.length());
    Class<?> copy = copies.get(function);
    if (copy == null) {
      copy = new CopyLoader(function).loadClass(CLASS_NAME);
      Class<?> earlier = copies.putIfAbsent(function, copy);
      copy = earlier == null ? copy : earlier;
    }
    return copy;
  }

  /** Loads that one class itself and leaves all others to the parent. */
  private static final class CopyLoader extends ClassLoader {

    CopyLoader(String function) {
      super(function, SystemFunctionLoader.class.getClassLoader());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (!name.equals(CLASS_NAME)) {
        return super.loadClass(name, resolve);
      }
      synchronized (getClassLoadingLock(name)) {
        Class<?> loaded = findLoadedClass(name);
        return loaded != null ? loaded : define();
      }
    }

    private Class<?> define() throws ClassNotFoundException {
      String resource = CLASS_NAME.replace('.', '/') + ".class";
      try (InputStream in = getParent().getResourceAsStream(resource)) {
        if (in == null) {
          throw new ClassNotFoundException(CLASS_NAME);
        }
        byte[] bytes = in.readAllBytes();
        return defineClass(CLASS_NAME, bytes, 0, bytes.length);
      } catch (IOException error) {
        throw new ClassNotFoundException(CLASS_NAME, error);
      }
    }
  }
}
