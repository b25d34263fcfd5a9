import BelfryModel
import Foundation
import Logging
import Synchronization

/// A mark that the database has reported damage and that no operator has checked or restored it since (FLEET-11). It is
/// a file beside the database, which outlives the process and which the operator removes.
///
/// Nothing else shows when the damage is repaired. A damaged page may be read once a month, so a read without an error
/// proves nothing.
package final class DamageMark: Sendable {
    package static let fileName = "database-damaged"
    /// The errors that mean damage: names of SQLite, and SQLSTATE codes of PostgreSQL.
    private static let errors: Set = ["corrupt", "corrupt_index", "notadb", "ioerr_corruptfs", "XX001", "XX002"]

    private let folder: URL
    private let now: @Sendable () -> Date
    private let logger: Logger
    /// Whether the file could not be written, so that only this process knows of the damage.
    private let isUnwritten = Atomic(false)

    /// - Parameter folder: the server's data directory.
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

    /// Sets the mark if an error of the database means damage.
    ///
    /// - Parameter word: the name of an SQLite error, or the SQLSTATE of a database server's error.
    package func note(_ word: String) {
        guard Self.errors.contains(word), !Self.isSet(in: folder) else { return }
        let file = Self.file(in: folder)
        if !isUnwritten.load(ordering: .relaxed) {
            logger.error(
                "the database reports that it is damaged", metadata: ["error": "\(word)", "mark": "\(file.path)"])
        }
        let text = "\(Timestamp.text(now())) \(word)\n"
        let isWritten = (try? Data(text.utf8).write(to: file, options: .withoutOverwriting)) != nil
        // Another process may have written the file first.
        isUnwritten.store(!isWritten && !Self.isSet(in: folder), ordering: .relaxed)
    }
}

extension GaugeQuestion {
    /// Whether the database has reported damage, and no operator has checked or restored it since.
    package static func damage(_ mark: DamageMark) -> GaugeQuestion {
        GaugeQuestion(name: "damage", failure: "the mark of a damaged database cannot be looked for") {
            ["belfry_database_damaged": mark.isSet ? 1 : 0]
        }
    }
}
