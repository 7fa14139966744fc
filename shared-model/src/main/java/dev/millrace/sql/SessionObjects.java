package dev.millrace.sql;

import dev.millrace.settings.Settings;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * The views and functions every session expects, whatever the service: pg_settings,
 * current_setting, set_config, version, format_type and their kin.
 */
public final class SessionObjects {

  private SessionObjects() {}

  /**
   * @param node the values in force outside sessions
   * @param relations what the functions on relations look into; asked at every call
   */
  public static SystemObjects of(Settings node, Supplier<RelationSource> relations) {
    SystemView settings =
        new SystemView("pg_settings", SettingRows.columns(), () -> SettingRows.of(current(node)));
    List<SystemFunction> functions = new ArrayList<>(new SessionFunctions(node, relations).all());
    functions.addAll(new RelationFunctions(relations).all());
    return new SystemObjects(List.of(settings), functions);
  }

  private static Settings current(Settings node) {
    SqlSession session = SystemCatalog.currentSession();
    return session == null || session.settings() == null ? node : session.settings();
  }
}
