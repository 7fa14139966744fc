package dev.millrace.settings;

import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.PropertySource;

/**
 * The node's settings as a bean: {@code millrace.settings.NAME} from the command line, the
 * environment ({@code MILLRACE_SETTINGS_NAME}) and configuration files, over the file in {@code
 * millrace.data-dir}. An unknown name or a bad value ends the start.
 */
@Configuration(proxyBeanMethods = false)
public class SettingsConfiguration {

  private static final String PREFIX = "millrace.settings.";
  private static final String ENVIRONMENT_PREFIX = "MILLRACE_SETTINGS_";

  @Bean
  Settings settings(ConfigurableEnvironment environment) {
    Path dataDirectory = Path.of(environment.getRequiredProperty("millrace.data-dir"));
    return new Settings(SettingTable.definitions(), given(environment), dataDirectory);
  }

  static Map<String, String> given(ConfigurableEnvironment environment) {
    Map<String, String> given = new TreeMap<>();
    for (PropertySource<?> source : environment.getPropertySources()) {
      if (source instanceof EnumerablePropertySource<?> enumerable) {
        for (String property : enumerable.getPropertyNames()) {
          String name = settingName(property);
          if (name != null) {
            given.put(name, environment.getProperty(PREFIX + name, value(source, property)));
          }
        }
      }
    }
    return given;
  }

  private static String settingName(String property) {
    if (property.startsWith(PREFIX)) {
      return property.substring(PREFIX.length()).toLowerCase(Locale.ROOT);
    }
    return property.startsWith(ENVIRONMENT_PREFIX)
        ? property.substring(ENVIRONMENT_PREFIX.length()).toLowerCase(Locale.ROOT)
        : null;
  }

  private static String value(PropertySource<?> source, String property) {
    Object value = source.getProperty(property);
    if (value == null) {
      throw new PgException(
          SqlState.INVALID_PARAMETER_VALUE, "property \"" + property + "\" has no value");
    }
    return value.toString();
  }
}
