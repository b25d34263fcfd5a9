import BelfryModel
import BelfryServerTestSupport
import BelfryTestSupport
import Foundation
import Testing

@testable import BelfryBench

/// What kills have left of SQLite's log of writes for the next server to read (REL-2). PostgreSQL, which keeps its own, is
/// not killed.
struct LeftLogs {
    /// Bytes of a log that is hot and stays so. With less it is cold: the next server finds next to nothing to read. It
    /// begins anew at four times ``HotLog/least``: the last quarter is for what the server writes until its kill.
    static let hot = HotLog.least / 4...3 * HotLog.least

    private(set) var bytes: [Int] = []

    /// Looks at what a kill has left. Nobody else has opened the database since.
    mutating func add(_ database: ServerDatabase, _ context: String) async throws {
        guard let left = try await database.logBytes() else { return }
        bytes.append(left)
        #expect(left >= Self.hot.lowerBound, "the kill left a hot log of writes, not \(left) bytes. \(context)")
    }

    /// In one line.
    var summary: String {
        guard let least = bytes.min(), let most = bytes.max() else { return "REL-2: no log of SQLite's" }
        let cold = bytes.count(where: { $0 < Self.hot.lowerBound })
        let median = bytes.sorted()[bytes.count / 2]
        return
            "REL-2: log of writes at \(bytes.count) kills: \(least) to \(most) bytes, median \(median); cold: \(cold)"
    }
}

extension ServerDatabase {
    /// Events of one upload, and uploads until a log has to be hot: it begins anew after far fewer.
    private static let eventsPerUpload = 1_000
    private static let mostUploads = 200

    /// What the next server has to read of SQLite's log of writes, in bytes; nil on PostgreSQL.
    func logBytes() async throws -> Int? {
        guard let file else { return nil }
        let log = URL(filePath: file.path + "-wal")
        // A server that ended by itself leaves none.
        return try await offPool { HotLog((try? Data(contentsOf: log)) ?? Data()).bytes }
    }

    /// Lets a device send events, until SQLite's log is hot and does not begin anew soon. Does nothing on PostgreSQL.
    func heatLog(by device: DeviceCaller, at server: ServerProcess) async throws {
        await device.move(to: server)
        for _ in 0..<Self.mostUploads {
            guard let bytes = try await logBytes(), !LeftLogs.hot.contains(bytes) else { return }
            let text = String(repeating: "x", count: 200)
            try await device.send(
                (0..<Self.eventsPerUpload).map { _ in
                    .custom("heated", id: UUID().uuidString, attributes: ["text": .string(text)])
                }
            )
        }
        Issue.record("the log of writes is not hot after \(Self.mostUploads) uploads")
    }

    /// Lends the database as a killed server has left it. On SQLite it is a copy: who opens the file itself reads its log,
    /// and who closes it copies the log back, which would leave nothing of it to the next server.
    func asLeft<Value>(_ body: (ServerDatabase) async throws -> Value) async throws -> Value {
        guard let file else { return try await body(self) }
        let data = file.deletingLastPathComponent()
        let place = data.deletingLastPathComponent()
            .appending(path: "left-\(UUID().uuidString)", directoryHint: .isDirectory)
        defer { try? FileManager.default.removeItem(at: place) }
        try await offPool {
            let files = FileManager.default
            try files.createDirectory(at: place, withIntermediateDirectories: true)
            for name in [file.lastPathComponent, file.lastPathComponent + "-wal"] {
                let source = data.appending(path: name)
                guard files.fileExists(atPath: source.path) else { continue }
                try files.copyItem(at: source, to: place.appending(path: name))
            }
        }
        return try await body(.onSQLite(in: place, environment: environment))
    }
}
