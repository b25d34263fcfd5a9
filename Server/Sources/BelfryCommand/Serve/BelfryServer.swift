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

/// One server: its data directory, its keys and its parts, which run and end together.
struct BelfryServer {
    /// How long a connection may be silent: between two requests, and during the reading of one. A request's head must
    /// be complete in that time (SEC-2). A body has ``RequestGuard/patience``.
    static let connection = ExpressChannel.Settings(
        idleTimeout: .seconds(60), maximumHeaderBytes: 16_384, maximumHeadersBytes: 32_768, maximumHeaders: 100
    )
    /// The maximum number of connections that are served at the same time. Further ones wait to be accepted (SEC-2).
    static let connections = ConnectionRules.Settings.maximumConnections
    /// The interval of checks whether there are file handles for more connections.
    private static let lookForHandles = TimeAmount.seconds(1)

    /// How long a shutdown by SIGTERM waits for work in progress, including a request that a client never finishes.
    /// After that the work is cancelled, and has until ``EndLimit/standard`` to end.
    static let drainLimit = Duration.seconds(17)

    private let configuration: ServeConfiguration
    /// The file of the admin key; nil when the key was given in the settings.
    let adminKeyFile: URL?
    let adminKey: String
    private let directory: DataDirectory
    private let parts: ServerParts
    /// The invitation to sign in. Nobody can sign in with it before somebody is invited.
    let invitation: SignInInvitation
    /// The console; nil when it is switched off.
    private let console: WebConsole?
    /// The certificate for TLS; nil: HTTP without TLS.
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
        // Processes that share a database also share the key, so any of them accepts it.
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
    ///   - companions: services that start before the server and end after it.
    ///   - guest: a service that runs beside the server. The server ends when it does.
    ///   - onRunning: receives the base URL once requests are accepted.
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
        // The limit must learn first that the server is to end. The group tells its last service first.
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
            // The server was told to end, and the parts that did not end by themselves were cancelled.
            guard error is CancellationError else { throw error }
            return
        }
        try await close(running)
    }

    /// Ends the leases that are in the store. This process is the store's only user, so such leases belong to a dead
    /// predecessor. On a full disk they cannot be written and expire by themselves a few seconds later; the server
    /// starts all the same, and continues when there is space.
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

    /// The SDKs for websites: this program's own first, then those of former versions, which pages still load.
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

    /// The services behind the API, for code in the same process.
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
                let name = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
                await onRunning("\(scheme)://\(name):\(channel.localAddress?.port ?? 0)")
            },
            eventLoopGroupProvider: .shared(group),
            logger: logger
        )
    }

    private func router() -> Router<APIRequestContext> {
        // A process that is only a worker serves its health and its metrics, and nothing else.
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

    /// Asks ``AcceptedConnections`` again at regular intervals. The library asks it only when a connection is closed,
    /// but file handles also become free otherwise, and connections may stay open for hours.
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

/// Checks the certificate's files for as long as the server runs.
extension CertificateWatch: Service {
    package func run() async {
        await environment.repeatUntilShutdown(every: Self.interval, after: Self.interval) { [self] in look() }
    }
}
