import BelfryServices
import Dispatch
import Foundation
import Logging
import ServiceLifecycle
import Synchronization

/// Ends the process when its orderly shutdown takes too long, whatever hangs (CLI-2). A kill at any moment loses no
/// acknowledged data, while a process that never ends blocks its successor.
///
/// It receives the signals itself and waits on threads of its own, because the tasks of other parts may block all the
/// threads that there are.
final class EndLimit: Service, Sendable {
    /// The time from the signal to the log line and the end of the process.
    static let standard = Duration.milliseconds(19_500)
    /// The time that the log line may take: nobody may be reading the log.
    static let patience = Duration.milliseconds(500)
    /// The exit code of a process that was ended by the limit.
    static let exitCode: Int32 = 1

    private struct State {
        var hasBegun = false
        var isOver = false
        /// Whether the log line has been begun, and has its own time limit.
        var isTelling = false
        var signals: [DispatchSource] = []
    }

    private let parts: RunningParts
    private let limit: Duration
    private let logger: Logger
    private let end: @Sendable () -> Void
    private let timers: EndTimers
    private let state = Mutex(State())
    private let hearing = DispatchQueue(label: "belfry.end.signals")

    /// - Parameters:
    ///   - parts: the parts that must end.
    ///   - end: ends the process immediately.
    init(
        _ parts: RunningParts, limit: Duration = EndLimit.standard, logger: Logger, timers: EndTimers = .live(),
        end: @escaping @Sendable () -> Void = { _exit(EndLimit.exitCode) }
    ) {
        self.parts = parts
        self.limit = limit
        self.logger = logger
        self.timers = timers
        self.end = end
    }

    /// Whether the process was told to end.
    var hasBegun: Bool { state.withLock { $0.hasBegun } }

    /// Waits for the beginning of the shutdown. By the time this runs, the service group has its signal handlers. A
    /// server that cannot start is not told to shut down, but cancelled.
    func run() async throws {
        hearSignals()
        guard (try? await gracefulShutdown()) != nil else { return }
        begin()
    }

    /// Starts the time limit. A second call changes nothing.
    func begin() {
        let isFirst = state.withLock { state in
            defer { state.hasBegun = true }
            return !state.hasBegun
        }
        guard isFirst else { return }
        timers.after(.line, limit) { self.endOverdue() }
        timers.after(.last, limit) { self.awaitLine() }
    }

    /// Stops the limit, because everything has ended.
    func finish() {
        let signals = state.withLock { state in
            state.isOver = true
            defer { state.signals = [] }
            return state.signals
        }
        for signal in signals { signal.cancel() }
    }

    private func hearSignals() {
        let signals = [SIGTERM, SIGINT].compactMap { signal -> DispatchSource? in
            // The library never makes a source of another type.
            guard let source = DispatchSource.makeSignalSource(signal: signal, queue: hearing) as? DispatchSource
            else { return nil }
            source.setEventHandler { [weak self] in self?.begin() }
            source.activate()
            return source
        }
        state.withLock { $0.signals = signals }
    }

    /// Logs which parts are still running, and ends the process. The line's own limit starts now, not when the line was
    /// due: a machine that stood still in between runs all due steps at the same moment, and the process would end
    /// before the line is written.
    private func endOverdue() {
        guard !state.withLock({ $0.isOver }) else { return }
        timers.after(.last, Self.patience) { self.endUnlessOver() }
        state.withLock { $0.isTelling = true }
        logger.critical(
            "the server did not stop in time and is being killed; acknowledged data is safe",
            metadata: ["stillRunning": "\(parts.names.joined(separator: ", "))", "limit": "\(limit)"]
        )
        endUnlessOver()
    }

    /// Ends the process also when the log line cannot even begin. Its limit starts now, for the same reason.
    private func awaitLine() {
        timers.after(.last, Self.patience) {
            guard !self.state.withLock({ $0.isTelling }) else { return }
            self.endUnlessOver()
        }
    }

    private func endUnlessOver() {
        guard !state.withLock({ $0.isOver }) else { return }
        end()
    }
}

/// The names of a server's running parts, to tell which of them did not end.
final class RunningParts: Sendable {
    private let running = Mutex<[String]>([])

    var names: [String] { running.withLock { $0 } }

    func during<Output>(_ name: String, _ body: () async throws -> Output) async rethrows -> Output {
        running.withLock { $0.append(name) }
        defer {
            running.withLock { running in
                if let index = running.firstIndex(of: name) { running.remove(at: index) }
            }
        }
        return try await body()
    }
}

/// A service whose name is in ``RunningParts`` as long as it runs.
struct NamedService: Service {
    let name: String
    let service: any Service
    let parts: RunningParts

    func run() async throws {
        try await parts.during(name) { try await service.run() }
    }
}

extension NamedService {
    /// Names a service by its type, and a gauge also by its own name, because there are several.
    init(_ service: any Service, parts: RunningParts) {
        let kind = "\(type(of: service))"
        let name = (service as? RegularGauge).map { "\(kind)(\($0.name))" } ?? kind
        self.init(name: name, service: service, parts: parts)
    }
}
