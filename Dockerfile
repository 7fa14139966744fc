# One image per service: docker build --build-arg MODULE=publisher-service --build-arg PORT=8080 -t millrace/publisher-service .
FROM maven:3.9-eclipse-temurin-17 AS build
ARG MODULE
WORKDIR /src
COPY . .
RUN mvn -B -q -DskipTests -Dspotless.check.skip=true -pl ${MODULE} -am package \
    && java -Djarmode=tools -jar ${MODULE}/target/${MODULE}-*.jar extract --destination /app \
    && mv /app/${MODULE}-*.jar /app/service.jar

FROM eclipse-temurin:17-jre
ARG PORT
# The same number as in k8s/base: the volume belongs to this user.
RUN useradd --uid 10001 --no-create-home millrace && mkdir /data && chown millrace /data
USER 10001
WORKDIR /app
COPY --from=build /app /app
ENV MILLRACE_DATA_DIR=/data
VOLUME /data
EXPOSE ${PORT}
# Exec form, so that SIGTERM reaches the JVM and the service stops cleanly.
ENTRYPOINT ["java", "-XX:MaxRAMPercentage=60", "-XX:+ExitOnOutOfMemoryError", "-jar", "/app/service.jar"]
