/// The files that make a server a system service (FLEET-10): its systemd unit, its user, and its settings.
struct ServiceFiles: Equatable {
    /// A file to write: its path, its text and its permissions.
    struct File: Equatable {
        let path: String
        let text: String
        let mode: Int
        /// Whether the file belongs to the operator once it exists, as settings do.
        var isKept = false
    }

    /// The folders for an operator's own files and for a package's files (file-hierarchy(7)).
    enum Place {
        case operators
        case packages

        var unit: String { self == .operators ? "/etc/systemd/system" : "/usr/lib/systemd/system" }
        var users: String { self == .operators ? "/etc/sysusers.d" : "/usr/lib/sysusers.d" }
    }

    static let settings = "/etc/belfry/belfry.yaml"
    static let secrets = "/etc/belfry/environment"
    /// The data directory. systemd creates it for the service's user, and nobody else can read it.
    static let data = "/var/lib/belfry"
    /// The seconds that systemd waits before it kills the server. The server ends by itself earlier (CLI-2); only a
    /// machine that is stuck needs the rest.
    static let stopSeconds = EndLimit.standard.components.seconds + 11

    /// The program's path, escaped so that the unit reads it as a plain path.
    let program: String
    let place: Place

    var files: [File] {
        [
            File(path: "\(place.unit)/belfry.service", text: unit, mode: 0o644),
            File(path: "\(place.users)/belfry.conf", text: Self.user, mode: 0o644),
            File(path: Self.settings, text: Self.settingsText, mode: 0o644, isKept: true),
            File(path: Self.secrets, text: Self.secretsText, mode: 0o600, isKept: true),
        ]
    }

    /// The unit for systemd 250 or later. It removes what a server does not need, so that a bug in it reaches only its
    /// own data and the network.
    private var unit: String {
        """
        # Made by 'belfry install'. Changes belong into a drop-in ('systemctl edit belfry'), which the next one keeps.
        [Unit]
        Description=Belfry, a mobile engagement platform
        Wants=network-online.target
        # With a clock that is ahead, retention would delete data too early.
        After=network-online.target time-sync.target postgresql.service
        # Keep restarting, even if a database or a disk is away for an hour.
        StartLimitIntervalSec=0

        [Service]
        Type=exec
        ExecStart=\(program) serve --config \(Self.settings) --data \(Self.data)
        EnvironmentFile=-\(Self.secrets)
        User=belfry
        Group=belfry
        StateDirectory=belfry
        StateDirectoryMode=0700
        UMask=0077
        Restart=always
        RestartSec=1
        # SIGTERM drains; by 20 seconds later the process has ended, whatever hangs.
        KillMode=mixed
        TimeoutStopSec=\(Self.stopSeconds)
        LimitNOFILE=\(OpenFiles.wanted)

        NoNewPrivileges=yes
        CapabilityBoundingSet=
        ProtectSystem=strict
        ProtectHome=yes
        PrivateTmp=yes
        PrivateDevices=yes
        ProtectClock=yes
        ProtectControlGroups=yes
        ProtectHostname=yes
        ProtectKernelLogs=yes
        ProtectKernelModules=yes
        ProtectKernelTunables=yes
        ProtectProc=invisible
        RemoveIPC=yes
        LockPersonality=yes
        MemoryDenyWriteExecute=yes
        RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK
        RestrictNamespaces=yes
        RestrictRealtime=yes
        RestrictSUIDSGID=yes
        SystemCallArchitectures=native
        SystemCallErrorNumber=EPERM
        SystemCallFilter=@system-service
        SystemCallFilter=~@privileged @resources
        # The server raises its own limit of open files, and has a thread with low priority.
        SystemCallFilter=setrlimit prlimit64 sched_setattr setpriority

        [Install]
        WantedBy=multi-user.target

        """
    }

    private static let user = """
        # Made by 'belfry install': the user that the server runs as (sysusers.d(5)).
        u belfry - "Belfry" \(data) /usr/sbin/nologin

        """

    private static let settingsText = """
        # Settings of the server: 'belfry serve --help' lists them. Secrets belong into \(secrets).
        # After a change: systemctl restart belfry
        host: 127.0.0.1
        port: 8080
        # A server on loopback otherwise lets operators name push services on loopback, which is for tests.
        allowPrivateEndpoints: false
        # Behind a proxy on this machine:
        # publicURL: https://belfry.example.com
        # trustedProxies: 127.0.0.1

        """

    private static let secretsText = """
        # Variables of the server with secrets in them; only root can read this file.
        # BELFRY_DATABASE=postgres://belfry:PASSWORD@db.example/belfry?sslmode=verify-full
        # BELFRY_SECRET_KEY=at least 32 characters, the same for all servers of one database

        """
}
