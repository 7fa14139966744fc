package dev.millrace.publisher.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;

import dev.millrace.publisher.PublisherUnderTest;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;

/**
 * The OpenAPI document checked in is the one the service serves. After a change of the interface,
 * {@code -Dmillrace.openapi.rewrite=true} writes it anew.
 */
class OpenApiDocumentTest {

  private static final Path CHECKED_IN = Path.of("..", "openapi", "publisher.yaml");

  @TempDir Path dataDirectory;

  @Test
  @DisplayName("openapi/publisher.yaml equals /v3/api-docs.yaml")
  void equal() throws Exception {
    String served;
    try (PublisherUnderTest publisher = PublisherUnderTest.start(dataDirectory)) {
      MockMvc mvc = MockMvcBuilders.webAppContextSetup(publisher.webContext()).build();
      served =
          mvc.perform(get("/v3/api-docs.yaml"))
              .andReturn()
              .getResponse()
              .getContentAsString(StandardCharsets.UTF_8);
    }
    if (Boolean.getBoolean("millrace.openapi.rewrite")) {
      Files.createDirectories(CHECKED_IN.getParent());
      Files.writeString(CHECKED_IN, served);
    }
    assertThat(served).isEqualTo(Files.readString(CHECKED_IN));
  }
}
