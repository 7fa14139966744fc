package dev.millrace.api;

import io.swagger.v3.oas.models.OpenAPI;
import io.swagger.v3.oas.models.Operation;
import io.swagger.v3.oas.models.media.Content;
import io.swagger.v3.oas.models.media.IntegerSchema;
import io.swagger.v3.oas.models.media.MediaType;
import io.swagger.v3.oas.models.media.ObjectSchema;
import io.swagger.v3.oas.models.media.Schema;
import io.swagger.v3.oas.models.media.StringSchema;
import io.swagger.v3.oas.models.responses.ApiResponse;
import io.swagger.v3.oas.models.servers.Server;
import java.util.List;
import org.springdoc.core.customizers.OpenApiCustomizer;

/**
 * What both documents have in common: a server that is wherever the document came from, so that
 * Swagger UI's calls run as they stand and the file does not depend on a port, and the problem
 * document as every call's answer to an error.
 */
final class OpenApiRules implements OpenApiCustomizer {

  private static final String PROBLEM = "Problem";

  @Override
  public void customise(OpenAPI document) {
    document.setServers(List.of(new Server().url("/").description("this service")));
    document.getComponents().addSchemas(PROBLEM, problem());
    document
        .getPaths()
        .values()
        .forEach(path -> path.readOperations().forEach(OpenApiRules::addProblem));
  }

  private static void addProblem(Operation operation) {
    operation
        .getResponses()
        .addApiResponse(
            "default",
            new ApiResponse()
                .description("An error, with its SQLSTATE")
                .content(
                    new Content()
                        .addMediaType(
                            "application/problem+json",
                            new MediaType()
                                .schema(new Schema<>().$ref("#/components/schemas/" + PROBLEM)))));
  }

  private static Schema<?> problem() {
    return new ObjectSchema()
        .description("RFC 9457, with PostgreSQL's error fields.")
        .addProperty("type", new StringSchema().example("about:blank"))
        .addProperty("title", new StringSchema().example("Not Found"))
        .addProperty("status", new IntegerSchema().example(404))
        .addProperty("detail", new StringSchema().description("the primary message"))
        .addProperty("instance", new StringSchema())
        .addProperty("sqlstate", new StringSchema().example("42704"))
        .addProperty("errdetail", new StringSchema().description("PostgreSQL's DETAIL"))
        .addProperty("hint", new StringSchema())
        .addProperty("context", new StringSchema())
        .addProperty("column", new StringSchema())
        .addProperty(
            "position", new IntegerSchema().description("character in the statement, from 1"));
  }
}
