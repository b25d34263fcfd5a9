import ArgumentParser
import Foundation
import Logging

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Run the server: device API, admin API and delivery.",
        discussion: """
            A flag wins over the environment (BELFRY_HOST, BELFRY_PORT, BELFRY_DATA, BELFRY_ADMIN_KEY, \
            BELFRY_SECRET_KEY, BELFRY_ALLOW_PRIVATE_ENDPOINTS, BELFRY_RATE_LIMIT, BELFRY_TRUSTED_PROXIES, \
            BELFRY_TLS_CERTIFICATE, BELFRY_TLS_KEY, BELFRY_WEB_PUSH_HOSTS, BELFRY_DATABASE, \
            BELFRY_DATABASE_CONNECTIONS), the \
            environment over the YAML file, the file over the default. SIGTERM and SIGINT finish what is under way and \
            end the server.
            """
    )

    @Option(help: "The address to listen on. (default: 127.0.0.1)")
    var host: String?

    @Option(help: "The port to listen on; 0 takes a free one. (default: 8080)")
    var port: Int?

    @Option(help: "The folder of the database and the keys. (default: data)")
    var data: String?

    @Option(
        help: """
            A PostgreSQL database instead of SQLite: postgres://user@host/name. One with a password belongs into \
            BELFRY_DATABASE or the file, for other users can see the command line.
            """
    )
    var database: String?

    @Option(help: "Connections to the PostgreSQL database at most. (default: 10)")
    var databaseConnections: Int?

    @Flag(
        inversion: .prefixedNo,
        help: "Permit push endpoints on private addresses. (default: on this machine, when listening on loopback)"
    )
    var allowPrivateEndpoints: Bool?

    @Option(help: "Calls a minute that a device may make, or 'off'; the other rates follow. (default: 600)")
    var rateLimit: String?

    @Option(help: "MiB a minute that all devices of an app may send, inflated, or 'off'. (default: 4096)")
    var appBudget: String?

    @Option(help: "Proxies whose X-Forwarded-For is believed: addresses or CIDR blocks, parted by commas.")
    var trustedProxies: String?

    @Option(help: "A certificate chain in PEM: serve HTTPS with it. Read anew when the file changes.")
    var tlsCertificate: String?

    @Option(help: "The certificate's private key in PEM.")
    var tlsKey: String?

    @Option(
        help: "Hosts at which browsers are reached, each with those below it, parted by commas. (default: any)"
    )
    var webPushHosts: String?

    @Option(name: .customLong("config"), help: "A YAML file with the same keys.")
    var file: String?

    @Option(help: "trace, debug, info, notice, warning or error.")
    var logLevel: Logger.Level = .info

    func run() async throws {
        OpenFiles.raiseLimit()
        let configuration = try await ServeConfiguration.read(
            flags: .init(
                host: host, port: port, data: data, allowsPrivateEndpoints: allowPrivateEndpoints,
                rateLimit: rateLimit, appBudget: appBudget, trustedProxies: trustedProxies,
                webPushHosts: webPushHosts, tlsCertificate: tlsCertificate, tlsKey: tlsKey, database: database,
                databaseConnections: databaseConnections
            ),
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
