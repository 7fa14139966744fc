package dev.millrace.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.yaml.snakeyaml.Yaml;

@DisplayName("The Kubernetes manifests name what the services use")
class KubernetesManifestsTest {

  private static final Path TOP = Path.of("..").toAbsolutePath().normalize();

  private static List<Map<String, Object>> documents(Path file) throws IOException {
    List<Map<String, Object>> documents = new ArrayList<>();
    for (Object document : new Yaml().loadAll(Files.readString(file, StandardCharsets.UTF_8))) {
      documents.add(map(document));
    }
    return documents;
  }

  @SuppressWarnings("unchecked")
  private static Map<String, Object> map(Object node) {
    return (Map<String, Object>) node;
  }

  /** Follows keys and list indexes. */
  private static Object at(Object node, Object... path) {
    Object current = node;
    for (Object step : path) {
      current =
          step instanceof Integer index ? ((List<?>) current).get(index) : map(current).get(step);
    }
    return current;
  }

  @ParameterizedTest(name = "{0}")
  @ValueSource(strings = {"publisher", "subscriber"})
  @DisplayName("ports, probes, volume and environment agree with the service's own settings")
  void agreesWithService(String role) throws IOException {
    List<Map<String, Object>> manifests = documents(TOP.resolve("k8s/base/" + role + ".yaml"));
    Map<String, Object> service = manifests.get(0);
    Map<String, Object> set = manifests.get(1);
    Object defaults =
        documents(TOP.resolve(role + "-service/src/main/resources/" + role + ".yml")).get(0);
    Object port = at(defaults, "server", "port");
    Object container = at(set, "spec", "template", "spec", "containers", 0);

    assertThat(at(set, "kind")).isEqualTo("StatefulSet");
    assertThat(at(set, "spec", "serviceName")).isEqualTo(at(service, "metadata", "name"));
    assertThat(at(service, "spec", "ports", 0, "port")).isEqualTo(port);
    assertThat(at(container, "ports", 0, "containerPort")).isEqualTo(port);
    assertThat(at(container, "ports", 0, "name"))
        .isEqualTo(at(service, "spec", "ports", 0, "targetPort"));
    assertThat(at(set, "spec", "template", "metadata", "labels", "app.kubernetes.io/name"))
        .isEqualTo(at(service, "spec", "selector", "app.kubernetes.io/name"))
        .isEqualTo(at(defaults, "spring", "application", "name"));
    assertThat(at(container, "livenessProbe", "httpGet", "path"))
        .isEqualTo("/actuator/health/liveness");
    assertThat(at(container, "readinessProbe", "httpGet", "path"))
        .isEqualTo("/actuator/health/readiness");
    assertThat(environment(container))
        .containsEntry("SERVER_PORT", String.valueOf(port))
        .containsEntry("MILLRACE_DATA_DIR", at(container, "volumeMounts", 0, "mountPath"))
        .containsEntry("MILLRACE_SECURITY_ALLOW_ANONYMOUS", "true");
    assertThat(at(defaults, "millrace"))
        .extracting(node -> map(node).containsKey("data-dir"))
        .isEqualTo(true);
    assertThat(at(container, "volumeMounts", 0, "name"))
        .isEqualTo(at(set, "spec", "volumeClaimTemplates", 0, "metadata", "name"));
    String dockerfile = Files.readString(TOP.resolve("Dockerfile"), StandardCharsets.UTF_8);
    assertThat(dockerfile)
        .contains("MILLRACE_DATA_DIR=" + at(container, "volumeMounts", 0, "mountPath"))
        .contains("--uid " + at(set, "spec", "template", "spec", "securityContext", "runAsUser"));
  }

  private static Map<Object, Object> environment(Object container) {
    Map<Object, Object> environment = new java.util.HashMap<>();
    for (Object entry : (List<?>) at(container, "env")) {
      environment.put(at(entry, "name"), at(entry, "value"));
    }
    return environment;
  }

  @Test
  @DisplayName("the base lists every manifest beside it")
  void kustomizationIsComplete() throws IOException {
    Object resources =
        at(documents(TOP.resolve("k8s/base/kustomization.yaml")).get(0), "resources");
    try (var files = Files.list(TOP.resolve("k8s/base"))) {
      assertThat(
              files
                  .map(file -> file.getFileName().toString())
                  .filter(name -> !name.equals("kustomization.yaml")))
          .containsExactlyInAnyOrderElementsOf(
              ((List<?>) resources).stream().map(String::valueOf).toList());
    }
  }
}
