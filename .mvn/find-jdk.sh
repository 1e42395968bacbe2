# Finds Java 25. Sourced by ./mvnw and ./quorate; runs on bash 3.2 and later.
#
#   find_java25 jdk    prints the home of a JDK 25 (with a compiler), or fails
#   find_java25 jre    prints the home of any Java 25, or fails
#
# Looks at JAVA_HOME, then at the java on the PATH, then at the usual places.

# Prints the file that a chain of symbolic links ends at. (readlink -f is not everywhere.)
resolve_link() {
  local file=$1 target
  while [ -L "$file" ]; do
    target=$(readlink "$file")
    case $target in
      /*) file=$target ;;
      *) file=$(dirname "$file")/$target ;;
    esac
  done
  echo "$file"
}

# Whether $1 is the home of a Java 25 of kind $2. Reads its release file; starts no JVM for it,
# except where an installation has none.
is_java25() {
  local home=$1 kind=$2 line
  [ -n "$home" ] && [ -x "$home/bin/java" ] || return 1
  [ "$kind" = jre ] || [ -x "$home/bin/javac" ] || return 1
  if [ -f "$home/release" ]; then
    line=$(grep '^JAVA_VERSION=' "$home/release" || true)
    case $line in
      'JAVA_VERSION="25"'* | 'JAVA_VERSION="25.'*) return 0 ;;
      *) return 1 ;;
    esac
  fi
  line=$("$home/bin/java" -version 2>&1 | head -n 1)
  case $line in
    *'version "25"'* | *'version "25.'*) return 0 ;;
    *) return 1 ;;
  esac
}

# Where Java lives on Debian, Fedora, in containers, on macOS and with SDKMAN. FIND_JAVA_PLACES
# replaces the list; it is colon-separated, and may hold patterns.
usual_places="/usr/lib/jvm/*:/usr/java/*:/opt/java*:/opt/java/*:/opt/jdk*"
usual_places="$usual_places:${HOME:-}/.sdkman/candidates/java/*:${HOME:-}/.jdks/*"
usual_places="$usual_places:/Library/Java/JavaVirtualMachines/*/Contents/Home"
usual_places="$usual_places:${HOME:-}/Library/Java/JavaVirtualMachines/*/Contents/Home"

find_java25() {
  local kind=$1 on_path home
  if is_java25 "${JAVA_HOME:-}" "$kind"; then
    echo "$JAVA_HOME"
    return 0
  fi
  on_path=$(command -v java || true)
  if [ -n "$on_path" ]; then
    on_path=$(resolve_link "$on_path")
    home=$(cd "$(dirname "$on_path")/.." && pwd -P)
    if is_java25 "$home" "$kind"; then
      echo "$home"
      return 0
    fi
  fi
  local IFS=:
  for home in ${FIND_JAVA_PLACES-$usual_places}; do
    if is_java25 "$home" "$kind"; then
      echo "$home"
      return 0
    fi
  done
  return 1
}
