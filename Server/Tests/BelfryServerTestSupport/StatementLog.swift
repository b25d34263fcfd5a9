import BelfryStore
import Foundation
import Synchronization
import Testing

/// What tests ask of PostgreSQL, each statement once (FLEET-5).
package final class StatementLog: Sendable {
    /// Names the folder into which each process of a test run writes what it asks, in a file of its own.
    package static let variable = "BELFRY_TEST_STATEMENTS"

    /// That of all tests of this process that have none of their own; nil where nobody wants to know.
    package static let ofThisRun = ProcessInfo.processInfo.environment[variable].map { folder in
        StatementLog(file: URL(filePath: folder).appending(path: "\(UUID().uuidString).jsonl"))
    }

    private struct State {
        var statements: Set<SQLText> = []
        var file: FileHandle?
    }

    private let state: Mutex<State>

    /// - Parameter file: a new file, which gets a line of JSON for each statement; nil for none.
    package init(file: URL? = nil) {
        state = Mutex(State(file: file.flatMap { Self.make($0) }))
    }

    private static func make(_ file: URL) -> FileHandle? {
        do {
            try Data().write(to: file)
            return try FileHandle(forWritingTo: file)
        } catch {
            Issue.record(error, "Statements cannot be written to \(file.path).")
            return nil
        }
    }

    /// What a database tells its statements to.
    package var onStatement: @Sendable (_ sql: SQLText) -> Void {
        return { sql in self.add(sql) }
    }

    private func add(_ sql: SQLText) {
        state.withLock { state in
            guard state.statements.insert(sql).inserted, let file = state.file else { return }
            do {
                try file.write(contentsOf: JSONEncoder().encode(sql.statement) + Data("\n".utf8))
            } catch {
                Issue.record(error, "A statement is not written, so nobody would judge it: \(sql.statement)")
            }
        }
    }

    /// All of them, in no order.
    package var statements: [String] {
        state.withLock { $0.statements.map(\.statement) }
    }

    /// What the processes of a run have written into a folder.
    package static func read(folder: URL) throws -> [String] {
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        return try files.flatMap { file in
            try Data(contentsOf: file).split(separator: UInt8(ascii: "\n")).map { line in
                try JSONDecoder().decode(String.self, from: line)
            }
        }
    }
}
