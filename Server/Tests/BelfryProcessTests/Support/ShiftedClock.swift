import Foundation
import Synchronization
import Testing

/// The clock of a server, which a test sets as somebody sets a machine's (libfaketime); it runs on meanwhile.
final class ShiftedClock: Sendable {
    static let reason: Comment = "NOT tested here: there is no libfaketime (Scripts/setup installs it on Debian)"

    static var isPermitted: Bool { library != nil }

    /// Debian's folder has the name of the machine's kind in it.
    private static let library: String? = {
        let folder = "/usr/lib"
        let kinds = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return kinds.map { "\(folder)/\($0)/faketime/libfaketimeMT.so.1" }
            .first { FileManager.default.fileExists(atPath: $0) }
    }()

    private let file: URL
    private let shift = Mutex<TimeInterval>(0)

    init(_ stage: Stage) throws {
        file = stage.folder.appending(path: "clock")
        try set(to: 0)
    }

    /// What a server finds in its environment.
    var environment: [String: String] {
        [
            "LD_PRELOAD": Self.library ?? "", "FAKETIME_TIMESTAMP_FILE": file.path, "FAKETIME_NO_CACHE": "1",
            // Time that passes is not the time of day.
            "FAKETIME_DONT_FAKE_MONOTONIC": "1", "DONT_FAKE_MONOTONIC": "1",
        ]
    }

    /// The same time of day.
    var now: Date { Date().addingTimeInterval(shift.withLock { $0 }) }

    /// Sets it so many seconds ahead of the true time, or behind.
    func set(to seconds: TimeInterval) throws {
        shift.withLock { $0 = seconds }
        // Put in its place whole: it is read at any moment.
        try Data(String(format: "%+d\n", Int(seconds)).utf8).write(to: file, options: .atomic)
    }
}
