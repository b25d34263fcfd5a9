import BelfryModel
import Foundation
import Logging
import Synchronization

/// That the database has said that it is damaged, until an operator has checked or restored it (FLEET-11): a file beside
/// it, which outlives the process and which the operator removes.
///
/// Nothing else tells when it is over. A damaged page may be read once a month, and no answer without an error means that
/// there is none any more.
package final class DamageMark: Sendable {
    package static let fileName = "database-damaged"
    /// SQLite's words, and PostgreSQL's states.
    private static let errors: Set = ["corrupt", "corrupt_index", "notadb", "ioerr_corruptfs", "XX001", "XX002"]

    private let folder: URL
    private let now: @Sendable () -> Date
    private let logger: Logger
    /// There was no way to write the file, so it is known to this process alone.
    private let isUnwritten = Atomic(false)

    /// - Parameter folder: the data directory of the server.
    package init(in folder: URL, now: @escaping @Sendable () -> Date, logger: Logger) {
        self.folder = folder
        self.now = now
        self.logger = logger
    }

    package var isSet: Bool { isUnwritten.load(ordering: .relaxed) || Self.isSet(in: folder) }

    package static func isSet(in folder: URL) -> Bool {
        FileManager.default.fileExists(atPath: file(in: folder).path)
    }

    private static func file(in folder: URL) -> URL { folder.appending(path: fileName) }

    /// Is told each error of the database, and heeds those that mean damage.
    ///
    /// - Parameter word: of SQLite's errors the name, of a server's the SQLSTATE.
    package func note(_ word: String) {
        guard Self.errors.contains(word), !Self.isSet(in: folder) else { return }
        let file = Self.file(in: folder)
        if !isUnwritten.load(ordering: .relaxed) {
            logger.error(
                "the database reports that it is damaged", metadata: ["error": "\(word)", "mark": "\(file.path)"])
        }
        let text = "\(Timestamp.text(now())) \(word)\n"
        let isWritten = (try? Data(text.utf8).write(to: file, options: .withoutOverwriting)) != nil
        // Somebody else may have been first.
        isUnwritten.store(!isWritten && !Self.isSet(in: folder), ordering: .relaxed)
    }
}

extension GaugeQuestion {
    /// Whether the database has said that it is damaged, and nobody has checked or restored it since.
    package static func damage(_ mark: DamageMark) -> GaugeQuestion {
        GaugeQuestion(name: "damage", failure: "the mark of a damaged database cannot be looked for") {
            ["belfry_database_damaged": mark.isSet ? 1 : 0]
        }
    }
}
