# Sourced by demo and bench: finds the project and builds what is not built.
home=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

built() {
  local module
  for module in publisher-service subscriber-service end-to-end; do
    ls "$home/$module"/target/"$module"-*.jar >/dev/null 2>&1 || return 1
  done
}

build() {
  built && return
  echo "Building (once; takes a minute or two)"
  (cd "$home" && mvn -B -q -DskipTests -Dspotless.check.skip=true package)
}

tools() {
  build
  exec "${JAVA_HOME:+$JAVA_HOME/bin/}java" -Xmx256m -Dmillrace.home="$home" \
    -jar "$home"/end-to-end/target/end-to-end-*.jar "$@"
}
