package dev.millrace.e2e;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Dependencies point one way")
class ArchitectureTest {

  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("dev.millrace");

  @Test
  @DisplayName("the services do not know each other")
  void servicesApart() {
    noClasses()
        .that()
        .resideInAPackage("dev.millrace.publisher..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("dev.millrace.subscriber..")
        .check(CLASSES);
    noClasses()
        .that()
        .resideInAPackage("dev.millrace.subscriber..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("dev.millrace.publisher..")
        .check(CLASSES);
  }

  @Test
  @DisplayName("the shared model knows neither service")
  void modelBelow() {
    noClasses()
        .that()
        .resideInAnyPackage(
            "dev.millrace.model..",
            "dev.millrace.pgoutput..",
            "dev.millrace.replication..",
            "dev.millrace.sql..",
            "dev.millrace.settings..",
            "dev.millrace.api..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("dev.millrace.publisher..", "dev.millrace.subscriber..")
        .check(CLASSES);
  }

  @Test
  @DisplayName(
      "the log stands below decoding, decoding below the walsender, all below the web layer")
  void logBelowDecodingBelowWalsender() {
    noClasses()
        .that()
        .resideInAPackage("dev.millrace.publisher.wal..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "dev.millrace.publisher.catalog..",
            "dev.millrace.publisher.database..",
            "dev.millrace.publisher.decoding..",
            "dev.millrace.publisher.walsender..",
            "dev.millrace.publisher.api..")
        .check(CLASSES);
    noClasses()
        .that()
        .resideInAPackage("dev.millrace.publisher.decoding..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "dev.millrace.publisher.database..",
            "dev.millrace.publisher.walsender..",
            "dev.millrace.publisher.api..")
        .check(CLASSES);
    noClasses()
        .that()
        .resideInAPackage("dev.millrace.publisher.database..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("dev.millrace.publisher.walsender..", "dev.millrace.publisher.api..")
        .check(CLASSES);
  }

  @Test
  @DisplayName("log, catalogue, database, decoding and apply know nothing of Spring's web layer")
  void noWebBelow() {
    noClasses()
        .that()
        .resideInAnyPackage(
            "dev.millrace.model..",
            "dev.millrace.pgoutput..",
            "dev.millrace.publisher.wal..",
            "dev.millrace.publisher.catalog..",
            "dev.millrace.publisher.database..",
            "dev.millrace.publisher.decoding..",
            "dev.millrace.subscriber.apply..",
            "dev.millrace.subscriber.tablesync..",
            "dev.millrace.subscriber.target..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("org.springframework.web..")
        .check(CLASSES);
  }

  @Test
  @DisplayName("the shared model's packages have no cycles")
  void noCyclesInModel() {
    slices()
        .matching("dev.millrace.(model|pgoutput|replication|settings|sql|api)..")
        .should()
        .beFreeOfCycles()
        .check(CLASSES);
  }
}
