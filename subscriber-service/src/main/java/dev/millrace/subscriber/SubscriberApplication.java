package dev.millrace.subscriber;

import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;

/**
 * Starts the subscriber service.
 *
 * <p>Its built-in defaults stand in {@code subscriber.yml}; an {@code application.yml} beside the
 * jar, environment variables and command line options override them as in any Spring Boot
 * application.
 */
@SpringBootApplication
public class SubscriberApplication {

  public static void main(String[] args) {
    builder().run(args);
  }

  /** The application as {@link #main} starts it; tests add their own properties to it. */
  public static SpringApplicationBuilder builder() {
    return new SpringApplicationBuilder(SubscriberApplication.class)
        .properties("spring.config.name=subscriber,application");
  }
}
