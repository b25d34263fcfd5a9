import BelfryCommand
import BelfrySimulators
import Foundation
import Logging
import NIOPosix

/// The phones and browsers of a soak, which run the real SDK in a process of its own. In the measuring process, the
/// work of dozens of phones would delay the calls and be measured as the server's.
struct SoakPhones {
    let count: Int
    let server: BenchServer
    let simulators: SimulatedPushServices
    let credentials: DemoCredentials

    /// Launches all phones and then runs the body beside them.
    ///
    /// - Throws: ``SoakPhonesError`` when they could not be launched or ended too early.
    func run<Value>(_ body: () async throws -> Value) async throws -> Value {
        guard count > 0 else { return try await body() }
        return try await withPushControl { control in
            let child = try ChildProcess.start(
                try BenchServerProcess.program(), arguments(pushControl: control),
                environment: ProcessInfo.processInfo.environment
            )
            let outcome: Result<Value, any Error>
            do {
                try await untilLaunched(child)
                outcome = .success(try await body())
            } catch {
                outcome = .failure(error)
            }
            child.send(SIGTERM)
            let status = await child.status
            let value = try outcome.get()
            guard status == 0 else { throw SoakPhonesError.ended(status: status) }
            return value
        }
    }

    private func arguments(pushControl: String) -> [String] {
        [
            "simulate", "devices", "--server", server.address, "--app", "soak", "--push-control", pushControl,
            "--count", "\(count)", "--directory", server.folder.appending(path: "phones").path, "--provider", "mixed",
            "--topic", DemoCredentials.topic, "--project", DemoCredentials.projectID,
            "--application-server-key", credentials.applicationServerKey, "--event", DemoStory.basketEvent,
        ] + DemoApp.centers.flatMap { ["--center", $0] }
    }

    private func untilLaunched(_ child: ChildProcess) async throws {
        for await line in child.lines where line.contains(Fleet.runningText) { return }
        try Task.checkCancellation()
        throw SoakPhonesError.ended(status: await child.status)
    }

    /// Gives the phones' process access to this process's push services.
    private func withPushControl<Value>(_ body: (String) async throws -> Value) async throws -> Value {
        let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
        var logger = Logger(label: "belfry.bench", factory: { StreamLogHandler.standardError(label: $0) })
        logger.logLevel = .error
        let control = PushServicesControlServer(
            apns: simulators.apns, fcm: simulators.fcm, webPush: simulators.webPush,
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: logger
        ) { continuation.yield($0) }
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                defer { continuation.finish() }
                try await control.run()
            }
            defer { group.cancelAll() }
            guard let port = await ports.first(where: { _ in true }) else {
                // The phones' process has ended; its task throws the reason.
                try await group.waitForAll()
                throw CancellationError()
            }
            return try await body("http://127.0.0.1:\(port)")
        }
    }
}

enum SoakPhonesError: Error, CustomStringConvertible {
    case ended(status: Int32)

    var description: String {
        switch self {
        case .ended(let status): "The process with the phones ended with \(status)."
        }
    }
}
