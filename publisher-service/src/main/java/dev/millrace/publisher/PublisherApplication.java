package dev.millrace.publisher;

import dev.millrace.api.SharedApiConfiguration;
import dev.millrace.settings.SettingsConfiguration;
import java.util.Locale;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.annotation.Import;

/**
 * Starts the publisher service.
 *
 * <p>Its built-in defaults stand in {@code publisher.yml}; an {@code application.yml} beside the
 * jar, environment variables and command line options override them as in any Spring Boot
 * application.
 */
@SpringBootApplication
@Import({SettingsConfiguration.class, SharedApiConfiguration.class})
public class PublisherApplication {

  public static void main(String[] args) {
    builder().run(args);
  }

  /** The application as {@link #main} starts it; tests add their own properties to it. */
  public static SpringApplicationBuilder builder() {
    // H2 would mix another language into the messages that errors are read from.
    Locale.setDefault(Locale.ROOT);
    return new SpringApplicationBuilder(PublisherApplication.class)
        .properties("spring.config.name=publisher,application");
  }
}
