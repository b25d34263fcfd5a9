import ArgumentParser
import Foundation
import Logging

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Run the server: device API, admin API and delivery.",
        discussion: """
            A flag takes precedence over the environment (BELFRY_HOST, BELFRY_PORT, BELFRY_DATA, BELFRY_ADMIN_KEY, \
            BELFRY_SECRET_KEY, BELFRY_ALLOW_PRIVATE_ENDPOINTS, BELFRY_RATE_LIMIT, BELFRY_APP_BUDGET, \
            BELFRY_TRUSTED_PROXIES, BELFRY_BODY_MEMORY, BELFRY_CONNECTIONS_PER_ADDRESS, \
            BELFRY_TLS_CERTIFICATE, BELFRY_TLS_KEY, BELFRY_WEB_PUSH_HOSTS, BELFRY_DATABASE, \
            BELFRY_DATABASE_CONNECTIONS, BELFRY_DATABASE_FOLDER, BELFRY_DISTRIBUTED, BELFRY_COPY_ROWS, BELFRY_ROLE, BELFRY_DISK_FLOOR, BELFRY_CONSOLE, BELFRY_PUBLIC_URL, \
            BELFRY_OIDC_ISSUER, BELFRY_OIDC_CLIENT_ID, BELFRY_OIDC_CLIENT_SECRET, BELFRY_OIDC_NAME, \
            BELFRY_OTLP_ENDPOINT, BELFRY_OTLP_SHARE), the environment over the YAML file, the file over the default. \
            On SIGTERM and SIGINT, the server finishes running work and exits.
            """
    )

    @Option(help: "The address to listen on. (default: 127.0.0.1)")
    var host: String?

    @Option(help: "The port to listen on; 0 picks a free one. (default: 8080)")
    var port: Int?

    @Option(help: "The folder of the database and the keys. (default: data)")
    var data: String?

    @Option(
        help: """
            A PostgreSQL database instead of SQLite: postgres://user@host/name. Put an address with a password into \
            BELFRY_DATABASE or the file, because other users can see the command line.
            """
    )
    var database: String?

    @Option(help: "The maximum number of connections to the PostgreSQL database. (default: 10)")
    var databaseConnections: Int?

    @Option(
        help: """
            A folder of this machine on the disk of the PostgreSQL database, for --disk-floor. (default: the folder that its server \
            reports, if that is on this machine)
            """
    )
    var databaseFolder: String?

    @Flag(
        inversion: .prefixedNo,
        help: """
            Distribute the PostgreSQL database over the servers of its Citus cluster, unless it is. No server may be at work \
            on it then. One that is distributed is used as such without this, too. (default: --no-distributed)
            """
    )
    var distributed: Bool?

    @Flag(
        inversion: .prefixedNo,
        help: """
            With --distributed, copy the rows that the database has to the other servers. Without this, a database with \
            rows is refused. (default: --no-copy-rows)
            """
    )
    var copyRows: Bool?

    @Option(
        help: """
            What this process does: 'api' answers devices, operators and the console, 'worker' processes what they store \
            and sends campaigns. One of them alone needs --database. (default: api,worker)
            """
    )
    var role: String?

    @Flag(
        inversion: .prefixedNo,
        help: "Allow push endpoints on private addresses. (default: loopback only, when listening on loopback)"
    )
    var allowPrivateEndpoints: Bool?

    @Option(help: "Requests per minute and device, or 'off'; other rates scale with it. (default: 600)")
    var rateLimit: String?

    @Option(help: "MiB per minute that all devices of an app may send, decompressed, or 'off'. (default: 4096)")
    var appBudget: String?

    @Option(help: "Proxies whose X-Forwarded-For is trusted: addresses or CIDR blocks, separated by commas.")
    var trustedProxies: String?

    @Option(
        help: """
            Memory for incomplete requests, in MiB. Unauthenticated callers get at most a quarter of it. (default: 256)
            """
    )
    var bodyMemory: String?

    @Option(help: "Connections per address, or 'off'. The oldest idle one is closed for a new one. (default: 1000)")
    var connectionsPerAddress: String?

    @Option(help: "A PEM certificate chain for HTTPS. The server reloads it when the file changes.")
    var tlsCertificate: String?

    @Option(help: "The certificate's private key, in PEM.")
    var tlsKey: String?

    @Option(
        help: "Push services that browsers may use: hosts with their subdomains, separated by commas. (default: any)"
    )
    var webPushHosts: String?

    @Option(
        help: """
            How much of the disk of the database stays free: 5%, 500MB, 2GB or 'off'. Below it the server rejects \
            requests that make the store grow. (default: 5%, at most 10 GB)
            """
    )
    var diskFloor: String?

    @Flag(inversion: .prefixedNo, help: "Serve the console at /console. (default: --console)")
    var console: Bool?

    @Option(
        help: """
            The address under which browsers reach the server, such as https://belfry.example.com: behind a proxy, \
            cookies and forms follow it.
            """
    )
    var publicURL: String?

    @Option(
        help: """
            An OpenID Connect provider by which people sign in to the console: the issuer, such as \
            https://id.example.com. It needs --oidc-client-id and --public-url. Put its secret into \
            BELFRY_OIDC_CLIENT_SECRET or the file.
            """
    )
    var oidcIssuer: String?

    @Option(name: .customLong("oidc-client-id"), help: "The name under which the provider knows this server.")
    var oidcClientID: String?

    @Option(help: "What the sign-in page calls the provider. (default: the issuer's host)")
    var oidcName: String?

    @Option(
        help: "An OpenTelemetry collector that gets a trace of each delivery, by OTLP/HTTP: http://127.0.0.1:4318"
    )
    var otlpEndpoint: String?

    @Option(help: "The share of the traces that it gets, such as 10% or 0.5%. (default: 100%)")
    var otlpShare: String?

    @Option(name: .customLong("config"), help: "A YAML file with the same keys.")
    var file: String?

    @Option(help: "trace, debug, info, notice, warning or error.")
    var logLevel: Logger.Level = .info

    func run() async throws {
        OpenFiles.raiseLimit()
        let configuration = try await ServeConfiguration.read(
            flags: .init(
                host: host, port: port, data: data, allowsPrivateEndpoints: allowPrivateEndpoints,
                rateLimit: rateLimit, appBudget: appBudget, trustedProxies: trustedProxies, bodyMemory: bodyMemory,
                connectionsPerAddress: connectionsPerAddress, webPushHosts: webPushHosts,
                tlsCertificate: tlsCertificate, tlsKey: tlsKey, database: database,
                databaseConnections: databaseConnections, databaseFolder: databaseFolder, isDistributed: distributed,
                copiesRows: copyRows, role: role,
                diskFloor: diskFloor, hasConsole: console, publicURL: publicURL, oidcIssuer: oidcIssuer,
                oidcClientID: oidcClientID, oidcName: oidcName, otlpEndpoint: otlpEndpoint, otlpShare: otlpShare
            ),
            environment: ProcessInfo.processInfo.environment,
            file: file
        )
        var logger = Logger(label: "belfry", factory: { OneLineLogHandler.standardError(label: $0) })
        logger.logLevel = logLevel
        let server = try BelfryServer(configuration: configuration, environment: .live, logger: logger)
        try await server.run { address in
            Console.say("Belfry listens on \(address).")
            if let file = server.adminKeyFile { Console.say("The admin key is in \(file.path).") }
        }
    }
}

extension Logger.Level: @retroactive ExpressibleByArgument {}
