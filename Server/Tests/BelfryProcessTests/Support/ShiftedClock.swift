import Foundation
import Synchronization
import Testing

/// The time of day of a server, which a test sets as somebody sets a machine's clock. It runs on meanwhile, and time that
/// passes (timers) is not touched.
final class ShiftedClock: Sendable {
    static let reason: Comment = "NOT tested here: setting a server's clock takes Linux and a C compiler (/usr/bin/cc)"
    static var isPermitted: Bool { PreloadedLibrary.isPermitted }

    private let library: PreloadedLibrary
    private let seconds: SharedNumber
    private let shift = Mutex<TimeInterval>(0)

    init(_ stage: Stage) async throws {
        library = try await PreloadedLibrary("ShiftedClock/shifted_clock.c", on: stage)
        seconds = try SharedNumber("clock", on: stage)
    }

    /// The environment of a server.
    var environment: [String: String] {
        library.environment.merging(["SHIFTED_CLOCK": seconds.file.path]) { first, _ in first }
    }

    /// The same time of day.
    var now: Date { Date().addingTimeInterval(shift.withLock { $0 }) }

    /// Sets it so many seconds ahead of the true time, or behind.
    func set(to seconds: TimeInterval) throws {
        try self.seconds.set(Int64(seconds))
        shift.withLock { $0 = seconds }
    }
}
