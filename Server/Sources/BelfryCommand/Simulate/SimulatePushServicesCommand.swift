import ArgumentParser
import BelfryModel
import BelfrySimulators
import Foundation
import Logging
import NIOPosix
import ServiceLifecycle

struct SimulatePushServicesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "push-services",
        abstract: "Run simulated APNs, FCM and Web Push services, to test senders.",
        discussion: """
            They use TLS with one certificate for all, and respond like Apple's, Google's and the browsers' services. \
            With the control API you register a signing key (POST /keys), get a service account (POST \
            /fcm/service-accounts), get push tokens and subscriptions (POST /tokens, /fcm/tokens, \
            /webpush/subscriptions), change their state, and read what arrived (GET /tokens/{token}/notifications \
            etc.). GET /statistics, PUT /faults and GET /trust-root are for APNs; the other services have them under \
            /fcm and /webpush. The control API needs no credentials, so keep it on a loopback address. It takes only \
            requests that name a loopback address, --host or --public-host, and none of other sites' pages. SIGTERM \
            and SIGINT stop the services.
            """
    )

    @Option(help: "The address to listen on.")
    var host = "127.0.0.1"

    @Option(
        help: """
            The host in URLs that FCM and Web Push return, and another name for the control API. (default: the one of \
            --host)
            """
    )
    var publicHost: String?

    @Option(
        help: ArgumentHelp(
            "Another name that the certificate is for, such as fcm.googleapis.com. May be repeated.",
            discussion: """
                For clients in which the host of a push service is fixed: where such a name leads to these simulators \
                (/etc/hosts), their TLS takes it.
                """,
            valueName: "host"
        )
    )
    var serverName: [String] = []

    @Option(help: "The port of the APNs production service; 0 picks a free one.")
    var apnsPort = 0

    @Option(help: "The port of the APNs sandbox; 0 picks a free one.")
    var sandboxPort = 0

    @Option(help: "The port of FCM and its access tokens; 0 picks a free one.")
    var fcmPort = 0

    @Option(help: "The port of the Web Push service; 0 picks a free one.")
    var webPushPort = 0

    @Option(
        help: ArgumentHelp(
            "A port for real Firefox browsers, without TLS; 0 picks a free one. (default: none)",
            discussion: """
                It speaks Mozilla's push protocol over WebSockets. A Firefox whose preference dom.push.serverURL names \
                it, with dom.push.testing.allowInsecureServerURL true, subscribes at the simulated Web Push service.
                """
        )
    )
    var browserPort: Int?

    @Option(help: "The port of the control API; 0 picks a free one.")
    var controlPort = 0

    @Option(help: "The seed of ids, push tokens and faults. The same seed gives the same ones. (default: random)")
    var seed: UInt64?

    @Option(
        help: ArgumentHelp(
            "A fault for a share of requests, such as tooManyRequests=0.05. May be repeated.",
            discussion: "The faults are \(FaultPlan.Fault.allCases.map(\.rawValue).joined(separator: ", ")).",
            valueName: "name=share"
        )
    )
    var fault: [String] = []

    @Option(help: "The delay of responses with the fault slowAnswer.")
    var slowAnswerMilliseconds = 250

    @Option(help: "The delay of every response to a push.")
    var latencyMilliseconds = 0

    @Option(
        help: "The Retry-After header of faults with 429 or 503. (default: none; APNs never sends one)")
    var retryAfterSeconds: Int?

    @Option(help: "Send GOAWAY after this many requests on a connection.")
    var goAwayAfter: Int?

    @Option(help: "After this many requests, accept pushes without responding.")
    var silentAfter: Int?

    @Option(help: "Write the certificate authority to this file, in PEM.")
    var trustRootFile: String?

    func validate() throws {
        _ = try faultPlan(seed: 0)
        let places = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-".utf8)
        for name in serverName where name.isEmpty || name.utf8.count > 253 || !name.utf8.allSatisfy(places.contains) {
            throw ValidationError("--server-name \(name): must be a host name, such as fcm.googleapis.com")
        }
    }

    func run() async throws {
        var logger = Logger(label: "belfry.simulate", factory: { OneLineLogHandler.standardError(label: $0) })
        logger.logLevel = .notice
        let seed = self.seed ?? UInt64.random(in: .min ... .max)
        var settings = SimulatedPushServices.Settings(seed: seed)
        settings.host = host
        settings.publicHost = publicHost
        settings.serverNames = serverName
        settings.apnsPort = apnsPort
        settings.sandboxPort = sandboxPort
        settings.fcmPort = fcmPort
        settings.webPushPort = webPushPort
        settings.browserPort = browserPort
        settings.faults = try faultPlan(seed: seed)
        let services = try await SimulatedPushServices.start(settings, clock: { Date() }, logger: logger)
        let trustRootFile = try writeTrustRoot(of: services)
        let control = PushServicesControlServer(
            apns: services.apns, fcm: services.fcm, webPush: services.webPush,
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton, host: host, publicHost: publicHost,
            port: controlPort, logger: logger
        ) { port in
            Self.announce(services.addresses, controlPort: port, trustRootFile: trustRootFile, seed: seed)
        }
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: services.services + [control],
                gracefulShutdownSignals: [.sigterm, .sigint],
                logger: logger
            )
        )
        try await group.run()
    }

    private func faultPlan(seed: UInt64) throws -> FaultPlan {
        do {
            var rates: [FaultPlan.Fault: Double] = [:]
            for text in fault {
                let parts = text.utf8.split(separator: UInt8(ascii: "="), maxSplits: 1).map { Substring($0) }
                guard parts.count == 2, let rate = DecimalText.number(String(parts[1])) else {
                    throw ValidationError("--fault \(text): must be NAME=SHARE, such as tooManyRequests=0.05")
                }
                let named = try FaultPlan.Fault(named: String(parts[0]))
                rates[named] = rate
            }
            return try FaultPlan(
                seed: seed,
                rates: rates,
                slowAnswer: .milliseconds(slowAnswerMilliseconds),
                goAwayAfter: goAwayAfter,
                silentAfter: silentAfter,
                latency: .milliseconds(latencyMilliseconds),
                retryAfter: retryAfterSeconds
            )
        } catch let error as SimulatorError {
            throw ValidationError("\(error.field) \(error.message)")
        }
    }

    private func writeTrustRoot(of services: SimulatedPushServices) throws -> URL? {
        guard let trustRootFile else { return nil }
        let file = URL(fileURLWithPath: trustRootFile)
        try Data(services.trustRootPEM.utf8).write(to: file, options: .atomic)
        return file
    }

    private static func announce(
        _ addresses: SimulatedPushServices.Addresses,
        controlPort: Int,
        trustRootFile: URL?,
        seed: UInt64
    ) {
        let host =
            addresses.apns.host.utf8.contains(UInt8(ascii: ":")) ? "[\(addresses.apns.host)]" : addresses.apns.host
        let control = "http://\(host):\(controlPort)"
        let browsers = addresses.webPush.browserURL.map { "\nFirefox          \($0)" } ?? ""
        let text = """
            APNs production  \(addresses.apns.url(of: .production))
            APNs sandbox     \(addresses.apns.url(of: .sandbox))
            FCM              \(addresses.fcm.url)
            Web push         \(addresses.webPush.origin)\(browsers)
            Control API      \(control)
            Trust root       \(trustRootFile?.path ?? "\(control)/trust-root")
            Seed             \(seed)

            """
        // Not `print`, because a program that reads the addresses from a pipe must not wait until the buffer is full.
        FileHandle.standardOutput.write(Data(text.utf8))
    }
}
