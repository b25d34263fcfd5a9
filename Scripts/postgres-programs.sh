# What the scripts share that start PostgreSQL servers of their own; they read it with `.` and have a `die`.

# Debian keeps the server's programs off the PATH, one folder for each version.
newest() { compgen -G '/usr/lib/postgresql/*/bin/initdb' | sort -V | tail -n 1; }
programs=$(newest) || true
programs=${programs:-$(command -v initdb || true)}
[ -n "$programs" ] || die "there is no initdb: install postgresql (Scripts/setup does)"
programs=$(dirname "$(readlink -f "$programs")")

# The server refuses to run as root.
as_server=()
if [ "$(id -u)" -eq 0 ]; then
    id postgres >/dev/null 2>&1 || die "run this as another user than root, or make a user 'postgres'"
    as_server=(setpriv --reuid=postgres --regid=postgres --init-groups)
fi
run_server() { ${as_server[@]+"${as_server[@]}"} "$@"; }

# So many ports on which nobody listens now. They are below those that the system gives to outgoing connections by
# itself: a server may be stopped and started again.
free_ports() {
    python3 - "$1" <<'PYTHON'
import contextlib, errno, random, socket, sys
with contextlib.ExitStack() as held:
    ports = []
    while len(ports) < int(sys.argv[1]):
        free = held.enter_context(socket.socket())
        try:
            free.bind(("127.0.0.1", random.randrange(10_000, 20_000)))
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise
        else:
            ports.append(free.getsockname()[1])
    print(*ports)
PYTHON
}
