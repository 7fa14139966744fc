package dev.millrace.publisher.catalog;

import org.springframework.data.jpa.repository.JpaRepository;

interface CatalogPositionRepository extends JpaRepository<CatalogPosition, Integer> {}
