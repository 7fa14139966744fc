package dev.millrace.heap;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.Page;
import org.h2.mvstore.RootReference;

/** The lock that H2 keeps in a map's root reference, reentrant, owned by a thread. */
final class MapRoot {

  private static final MethodHandle TRY_LOCK;
  private static final MethodHandle UNLOCK;

  static {
    try {
      MethodHandles.Lookup own = MethodHandles.lookup();
      TRY_LOCK =
          MethodHandles.privateLookupIn(RootReference.class, own)
              .findVirtual(
                  RootReference.class,
                  "tryLock",
                  MethodType.methodType(RootReference.class, int.class));
      UNLOCK =
          MethodHandles.privateLookupIn(MVMap.class, own)
              .findVirtual(
                  MVMap.class, "unlockRoot", MethodType.methodType(void.class, Page.class));
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("this version of H2 locks its tables in an unknown way", e);
    }
  }

  private MapRoot() {}

  static boolean tryLock(MVMap<?, ?> map) {
    try {
      RootReference<?, ?> locked = (RootReference<?, ?>) TRY_LOCK.invoke(map.getRoot(), 1);
      return locked != null;
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  static void unlock(MVMap<?, ?> map) {
    try {
      UNLOCK.invoke(map, (Page<?, ?>) null); // no new page: the root stays as it is
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  static RuntimeException unexpected(Throwable e) {
    if (e instanceof Error error) {
      throw error;
    }
    return e instanceof RuntimeException known ? known : new IllegalStateException(e);
  }
}
