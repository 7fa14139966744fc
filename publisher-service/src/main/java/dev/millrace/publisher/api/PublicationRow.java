package dev.millrace.publisher.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.millrace.model.Notice;
import dev.millrace.publisher.catalog.PublicationDefinition;
import io.swagger.v3.oas.annotations.media.Schema;
import java.util.List;

/**
 * A row of pg_publication.
 *
 * @param warnings what a create call raised; left out when there is nothing
 */
@Schema(name = "Publication")
record PublicationRow(
    @Schema(example = "16390") long oid,
    @Schema(example = "mypub") String pubname,
    @Schema(example = "10") long pubowner,
    boolean puballtables,
    boolean pubinsert,
    boolean pubupdate,
    boolean pubdelete,
    boolean pubtruncate,
    boolean pubviaroot,
    @Schema(example = "n", description = "n none, s stored") String pubgencols,
    @JsonInclude(JsonInclude.Include.NON_EMPTY) List<Notice> warnings) {

  static PublicationRow of(PublicationDefinition publication, List<Notice> warnings) {
    return new PublicationRow(
        Integer.toUnsignedLong(publication.oid()),
        publication.name(),
        Integer.toUnsignedLong(publication.owner()),
        publication.allTables(),
        publication.insert(),
        publication.update(),
        publication.delete(),
        publication.truncate(),
        publication.viaRoot(),
        String.valueOf(publication.generatedColumns()),
        warnings);
  }
}
