# What the scripts share that start PostgreSQL servers of their own; they read it with `.` and have a `die`.

# A busy machine may take longer than a minute to start a server.
export PGCTLTIMEOUT=600

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

# Makes the files of a server in a folder of the server's user: FOLDER/data. Its user is belfry, and who is on this machine
# needs no password. What follows the folder are options of initdb.
make_server() {
    local place=$1 language=()
    shift
    # A language whose order is not that of the bytes, where the version can: what Belfry compares must not depend on it.
    ! "$programs/initdb" --help | grep -q icu-locale || language=(--locale-provider icu --icu-locale en-US)
    run_server "$programs/initdb" --pgdata "$place/data" --username belfry --encoding UTF8 --locale C \
        ${language[@]+"${language[@]}"} --auth trust --no-sync "$@" \
        >"$place/initdb.log" 2>&1 || { cat "$place/initdb.log" >&2; die "initdb failed"; }
}

# Starts it on a port. It fails where somebody else has the port by now.
start_server() {
    run_server "$programs/pg_ctl" start --silent --wait --pgdata "$1/data" --log "$1/log" --options "-p $2" \
        >/dev/null 2>&1
}
stop_server() {
    run_server "$programs/pg_ctl" stop --silent --mode immediate --pgdata "$1/data" >/dev/null 2>&1 || true
}

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
