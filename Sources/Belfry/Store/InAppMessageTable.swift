import BelfryModel
import BelfryRules
import BelfryWire
import Foundation
import GRDB

/// The in-app messages that were downloaded and may still be shown.
extension DeviceStore {
    /// All stored messages, whether or not their time has come.
    func inAppMessages() throws(BelfryError) -> [StoredInAppMessage] {
        let bodies = try access { db in try Data.fetchAll(db, sql: "SELECT body FROM in_app_message ORDER BY id") }
        return bodies.compactMap(Self.inAppMessage)
    }

    func inAppMessage(_ id: String) throws(BelfryError) -> StoredInAppMessage? {
        let body = try access { db in
            try Data.fetchOne(db, sql: "SELECT body FROM in_app_message WHERE id = ?", arguments: [id])
        }
        return body.flatMap(Self.inAppMessage)
    }

    /// The ids of the messages that this version cannot read.
    func unreadableInAppMessages() throws(BelfryError) -> [String] {
        let rows = try access { db in try Row.fetchAll(db, sql: "SELECT id, body FROM in_app_message") }
        return rows.filter { Self.inAppMessage($0["body"]) == nil }.map { $0["id"] }
    }

    /// The names of the events that may trigger one of them.
    func inAppEvents() throws(BelfryError) -> Set<String> {
        try access { db in
            try String.fetchSet(db, sql: "SELECT DISTINCT event FROM in_app_message WHERE event IS NOT NULL")
        }
    }

    private static func inAppMessage(_ data: Data) -> StoredInAppMessage? {
        (try? CheckedJSON.stored(InAppMessageBody.self, data)).flatMap { StoredInAppMessage($0) }
    }
}
