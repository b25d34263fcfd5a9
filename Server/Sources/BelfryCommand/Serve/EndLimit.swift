import BelfryServices
import Dispatch
import Foundation
import Logging
import ServiceLifecycle
import Synchronization

/// Ends the process when its orderly end takes too long, whatever hangs (CLI-2): a kill at any moment loses nothing that
/// was acknowledged, a process that never ends keeps its successor waiting.
///
/// It hears the signals itself, and waits on threads of its own: the tasks of the others may hold every thread there is.
final class EndLimit: Service, Sendable {
    /// From the signal to the line in the log and the end.
    static let standard = Duration.milliseconds(19_500)
    /// How long the line may take from its beginning: nobody may be reading it.
    static let patience = Duration.milliseconds(500)
    /// The exit code of a process that was ended so.
    static let exitCode: Int32 = 1

    private struct State {
        var hasBegun = false
        var isOver = false
        /// The line is begun, and has a time of its own.
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
    ///   - parts: what has to end.
    ///   - end: ends the process without another step.
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

    /// Waits for the beginning of the end. By now the signals are known to the group that runs this. A server that
    /// cannot begin is not told to end, but cancelled.
    func run() async throws {
        hearSignals()
        guard (try? await gracefulShutdown()) != nil else { return }
        begin()
    }

    /// From now on the limit runs. A second time changes nothing.
    func begin() {
        let isFirst = state.withLock { state in
            defer { state.hasBegun = true }
            return !state.hasBegun
        }
        guard isFirst else { return }
        timers.after(.line, limit) { self.giveUp() }
        timers.after(.last, limit) { self.awaitLine() }
    }

    /// Everything has ended.
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
            // The library makes no other kind.
            guard let source = DispatchSource.makeSignalSource(signal: signal, queue: hearing) as? DispatchSource
            else { return nil }
            source.setEventHandler { [weak self] in self?.begin() }
            source.activate()
            return source
        }
        state.withLock { $0.signals = signals }
    }

    /// The time of the line runs from here, and not from when it was due: a machine that stood still in between starts
    /// whatever is due by then at once, and the end would come before the line.
    private func giveUp() {
        guard !state.withLock({ $0.isOver }) else { return }
        timers.after(.last, Self.patience) { self.endUnlessOver() }
        state.withLock { $0.isTelling = true }
        logger.critical(
            "the server did not stop in time and is being killed; acknowledged data is safe",
            metadata: ["stillRunning": "\(parts.names.joined(separator: ", "))", "limit": "\(limit)"]
        )
        endUnlessOver()
    }

    /// Ends the process also when the line cannot even begin. It counts from here, too, for the same reason.
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

/// What of a server runs, by name: for who has to say what did not end.
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

/// A service that is named as long as it runs.
struct NamedService: Service {
    let name: String
    let service: any Service
    let parts: RunningParts

    func run() async throws {
        try await parts.during(name) { try await service.run() }
    }
}

extension NamedService {
    /// By its type; a gauge by its question, too, since there are several.
    init(_ service: any Service, parts: RunningParts) {
        let kind = "\(type(of: service))"
        let name = (service as? RegularGauge).map { "\(kind)(\($0.name))" } ?? kind
        self.init(name: name, service: service, parts: parts)
    }
}
