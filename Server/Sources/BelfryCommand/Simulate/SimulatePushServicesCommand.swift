import ArgumentParser
import BelfrySimulators
import Foundation
import Logging
import NIOPosix
import ServiceLifecycle

struct SimulatePushServicesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "push-services",
        abstract: "Run a look-alike of Apple's push service, to test what sends to it.",
        discussion: """
            It speaks TLS and HTTP/2 and answers as Apple does. Register a signing key and get device tokens over the \
            control API: POST /keys, POST /tokens, PUT /tokens/{token}, GET /tokens/{token}/notifications, \
            GET /statistics, PUT /faults, GET /trust-root. Nothing on it asks for a credential, so keep it on a \
            loopback address. SIGTERM and SIGINT end it.
            """
    )

    @Option(help: "The address to listen on.")
    var host = "127.0.0.1"

    @Option(help: "The port of the production service; 0 takes a free one.")
    var apnsPort = 0

    @Option(help: "The port of the sandbox; 0 takes a free one.")
    var sandboxPort = 0

    @Option(help: "The port of the control API; 0 takes a free one.")
    var controlPort = 0

    @Option(help: "Where ids, device tokens and faults begin; the same seed gives the same ones. (default: random)")
    var seed: UInt64?

    @Option(
        help: ArgumentHelp(
            "A share of requests that goes wrong, such as tooManyRequests=0.05. May be repeated.",
            discussion: "There are \(FaultPlan.Fault.allCases.map(\.rawValue).joined(separator: ", ")).",
            valueName: "name=share"
        )
    )
    var fault: [String] = []

    @Option(help: "How late the answers of the fault slowAnswer are.")
    var slowAnswerMilliseconds = 250

    @Option(help: "Send GOAWAY after this many requests on a connection.")
    var goAwayAfter: Int?

    @Option(help: "Write the certificate authority to this file, in PEM.")
    var trustRootFile: String?

    func validate() throws {
        _ = try faultPlan(seed: 0)
    }

    func run() async throws {
        var logger = Logger(label: "belfry.simulate", factory: { StreamLogHandler.standardError(label: $0) })
        logger.logLevel = .notice
        let seed = self.seed ?? UInt64.random(in: .min ... .max)
        var configuration = APNsSimulator.Configuration()
        configuration.host = host
        configuration.productionPort = apnsPort
        configuration.sandboxPort = sandboxPort
        configuration.faults = try faultPlan(seed: seed)
        let simulator = try APNsSimulator(
            configuration: configuration,
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
            random: SimulatorRandom(seed: seed),
            clock: { Date() },
            logger: logger
        )
        let addresses = try await simulator.start()
        let trustRootFile = try writeTrustRoot(of: simulator)
        let control = APNsControlServer(simulator: simulator, host: host, port: controlPort, logger: logger) { port in
            Self.announce(addresses, controlPort: port, trustRootFile: trustRootFile, seed: seed)
        }
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [simulator, control],
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
                let parts = text.split(separator: "=", maxSplits: 1)
                guard parts.count == 2, let rate = Double(parts[1]) else {
                    throw ValidationError("--fault \(text): must be NAME=SHARE, such as tooManyRequests=0.05")
                }
                let named = try FaultPlan.Fault(named: String(parts[0]))
                rates[named] = rate
            }
            return try FaultPlan(
                seed: seed,
                rates: rates,
                slowAnswer: .milliseconds(slowAnswerMilliseconds),
                goAwayAfter: goAwayAfter
            )
        } catch let error as SimulatorError {
            throw ValidationError("\(error.field) \(error.message)")
        }
    }

    private func writeTrustRoot(of simulator: APNsSimulator) throws -> URL? {
        guard let trustRootFile else { return nil }
        let file = URL(fileURLWithPath: trustRootFile)
        try Data(simulator.trustRootPEM.utf8).write(to: file, options: .atomic)
        return file
    }

    private static func announce(
        _ addresses: APNsSimulator.Addresses,
        controlPort: Int,
        trustRootFile: URL?,
        seed: UInt64
    ) {
        let host = addresses.host.contains(":") ? "[\(addresses.host)]" : addresses.host
        let control = "http://\(host):\(controlPort)"
        let text = """
            APNs production  \(addresses.url(of: .production))
            APNs sandbox     \(addresses.url(of: .sandbox))
            Control API      \(control)
            Trust root       \(trustRootFile?.path ?? "\(control)/trust-root")
            Seed             \(seed)

            """
        // Not `print`: a program that reads the addresses from a pipe must not wait for a full buffer.
        FileHandle.standardOutput.write(Data(text.utf8))
    }
}
