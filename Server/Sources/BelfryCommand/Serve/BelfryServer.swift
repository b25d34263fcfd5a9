import Belfry
import BelfryAPI
import BelfryBrowser
import BelfryConsole
import BelfryPush
import BelfryServices
import Foundation
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle

/// One server: its folder, its keys and its parts, and how they run and end together.
struct BelfryServer {
    /// How long a connection may be silent: between two requests, and while one is being read; a request's head has to
    /// be whole by then (SEC-2). A body has ``RequestGuard/patience``.
    static let connection = ExpressChannel.Settings(
        idleTimeout: .seconds(60), maximumHeaderBytes: 16_384, maximumHeadersBytes: 32_768, maximumHeaders: 100
    )
    /// Connections that are served at once; those beyond wait to be accepted (SEC-2).
    static let connections = ConnectionRules.Settings.maximumConnections
    /// How often it is asked whether there are file handles for more.
    private static let lookForHandles = TimeAmount.seconds(1)

    /// How long an end by SIGTERM waits for what is under way: a request that a client never finishes among it. Then it
    /// is cut off, and has until ``EndLimit/standard`` to see it.
    static let drainLimit = Duration.seconds(17)

    private let configuration: ServeConfiguration
    /// Where the admin key is; nil when it was given.
    let adminKeyFile: URL?
    let adminKey: String
    private let directory: DataDirectory
    private let parts: ServerParts
    /// Signs nobody in before somebody is invited.
    let invitation: SignInInvitation
    /// Nil when it is switched off.
    private let console: WebConsole?
    /// The certificate to serve TLS with; nil: HTTP without TLS.
    private let certificate: CertificateWatch?
    private let group: MultiThreadedEventLoopGroup
    private let logger: Logger

    init(configuration: ServeConfiguration, environment: ServerEnvironment, logger: Logger) throws {
        self.configuration = configuration
        self.logger = logger
        certificate = try configuration.certificate.map {
            try CertificateWatch(files: $0, environment: environment, logger: logger)
        }
        let directory = try DataDirectory(path: configuration.data)
        self.directory = directory
        func secret(_ file: URL) throws -> String {
            try directory.secret(file) { Base64URL.encode(environment.randomBytes(32)) }
        }
        let keys = ServerKeys(secret: Array(try (configuration.secretKey ?? secret(directory.secretKey)).utf8))
        // Processes that share a database share the key as well, whichever of them is asked.
        adminKey =
            try configuration.adminKey
            ?? (configuration.database == nil
                ? secret(directory.adminKey)
                : directory.secret(directory.adminKey) { Base64URL.encode(keys.adminKey) })
        adminKeyFile = configuration.adminKey == nil ? directory.adminKey : nil
        group = MultiThreadedEventLoopGroup(numberOfThreads: System.coreCount)
        parts = try ServerParts(
            configuration: configuration, databaseFile: directory.database, keys: keys, adminKey: adminKey,
            environment: environment, group: group, logger: logger
        )
        invitation = SignInInvitation(environment: environment)
        console =
            configuration.hasConsole && configuration.roles.contains(.api)
            ? try WebConsole(
                services: parts.api,
                settings: ConsoleSettings(
                    publicURL: configuration.publicURL, servesTLS: certificate != nil, version: BelfryVersion.sdk,
                    invitation: invitation
                ),
                logger: logger
            ) : nil
    }

    /// Serves until SIGTERM or SIGINT.
    ///
    /// - Parameters:
    ///   - companions: start before the server and end after it.
    ///   - guest: runs beside the server, which ends when the guest does.
    ///   - onRunning: is told the base URL once requests are taken.
    func run(
        beside companions: [any Service] = [], until guest: (any Service)? = nil,
        onRunning: @escaping @Sendable (String) async -> Void
    ) async throws {
        if configuration.database == nil {
            try await endLeases()
        }
        let running = RunningParts()
        let limit = EndLimit(running, logger: logger)
        let services = companions + parts.background + (certificate.map { [$0] } ?? [])
        let named = services.map { NamedService($0, parts: running) }
        let application = NamedService(
            name: "requests", service: application(onRunning: onRunning), parts: running
        )
        // The limit hears first that the server is to end: the last of them is told first.
        var configuration = ServiceGroupConfiguration(
            services: named + [application, limit], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger
        )
        configuration.maximumGracefulShutdownDuration = Self.drainLimit
        if let guest {
            configuration.services.append(
                .init(service: guest, successTerminationBehavior: .gracefullyShutdownGroup)
            )
        }
        defer { limit.finish() }
        do {
            try await ServiceGroup(configuration: configuration).run()
        } catch {
            try await close(running)
            guard limit.hasBegun else {
                throw ServeConfigurationError.listening(
                    on: self.configuration.host, port: self.configuration.port, failed: error
                )
            }
            // It was told to end, and what did not end by itself was cut off.
            guard error is CancellationError else { throw error }
            return
        }
        try await close(running)
    }

    /// This process has the store alone, so a lease that stands there is a dead predecessor's. On a full disk it ends by
    /// itself, a few seconds later: the server starts all the same, and goes on when there is room.
    private func endLeases() async throws {
        do {
            try await parts.database.write { connection in
                try connection.batches.endLeases()
                try connection.silentPushes.endLeases()
                try connection.rehearsals.endLeases()
                try connection.workAttempts.endLeases()
            }
        } catch let error where error.meansTryAgain {
            logger.warning(
                "cannot release the leases of the former process; they expire by themselves",
                metadata: ["error": "\(LoggedError(error))"]
            )
        }
    }

    /// The SDK for websites: this program's first, and those of former versions, which pages still name.
    private func browserSDKs() -> [BrowserSDK] {
        let own = BrowserSDK(version: parts.api.publicServer.version)
        let archive = BrowserArchive(folder: directory.browserSDKs)
        do {
            try archive.keep(own)
        } catch {
            logger.warning(
                "cannot store the browser SDK of this version; after an upgrade, pages that refer to it will not find it",
                metadata: ["error": "\(LoggedError(error))"]
            )
        }
        return [own] + archive.others(than: own.version)
    }

    /// The services behind the API, for whatever runs in the same process.
    var services: APIServices { parts.api }

    private func application(onRunning: @escaping @Sendable (String) async -> Void) -> some ApplicationProtocol {
        let host = configuration.host
        let scheme = certificate == nil ? "http" : "https"
        return Application(
            router: router(), server: server(),
            configuration: ApplicationConfiguration(
                address: .hostname(host, port: configuration.port), serverName: nil,
                availableConnectionsDelegate: AcceptedConnections(Self.connections) {
                    OpenFiles.areLeft(OpenFiles.spare)
                }
            ),
            onServerRunning: { channel in
                Self.keepAccepting(on: channel)
                let name = host.contains(":") ? "[\(host)]" : host
                await onRunning("\(scheme)://\(name):\(channel.localAddress?.port ?? 0)")
            },
            eventLoopGroupProvider: .shared(group),
            logger: logger
        )
    }

    private func router() -> Router<APIRequestContext> {
        // A worker is asked for its health and its metrics, and by nobody else.
        guard configuration.roles.contains(.api) else { return makeHealthRouter(parts.api, logger: logger) }
        return makeRouter(parts.api, logger: logger) { [files = BrowserFiles(browserSDKs())] router in
            files.add(to: router)
            console?.add(to: router) { [limits = parts.api.limits] request, context in
                context.network(of: request, limits: limits)
            } onDeparture: { context, departed in
                context.onDeparture(departed)
            }
        }
    }

    /// The library asks ``AcceptedConnections`` again when a connection is closed. File handles become free otherwise,
    /// too, while those who are connected stay so for hours.
    private static func keepAccepting(on channel: any Channel) {
        let asking = channel.eventLoop.scheduleRepeatedTask(
            initialDelay: lookForHandles, delay: lookForHandles
        ) { _ in channel.read() }
        channel.closeFuture.whenComplete { _ in asking.cancel() }
    }

    private func server() -> HTTPServerBuilder {
        let rules = ConnectionRules(
            configuration.connections, services: parts.api, proxies: configuration.trustedProxies, logger: logger
        )
        let lane = configuration.roles.contains(.api) ? ExpressLane(services: parts.api) : nil
        return HTTPServerBuilder { [certificate] responder in
            var settings = Self.connection
            settings.isSecure = certificate != nil
            let express = ExpressChannel(responder: responder, lane: lane, settings: settings, rules: rules)
            guard let certificate else { return express }
            return SecureChannel(express: express) { certificate.context }
        }
    }

    private func close(_ running: RunningParts) async throws {
        try await running.during("connections") { try await group.shutdownGracefully() }
        try await running.during("database") { try parts.closeDatabase() }
    }
}

/// Looks at the files as long as the server lives.
extension CertificateWatch: Service {
    package func run() async {
        await environment.repeatUntilShutdown(every: Self.interval, after: Self.interval) { [self] in look() }
    }
}
