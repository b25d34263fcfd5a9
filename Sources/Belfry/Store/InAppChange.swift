import BelfryModel
import BelfryRules
import BelfryWire
import Foundation
import GRDB

/// A change of the stored in-app messages.
enum InAppChange: Sendable {
    /// Removes all, because they are another person's (IAM-11).
    case purge
    /// Stores new ones, and new versions in the place of the former ones (IAM-4).
    case keep([StoredInAppMessage])
    /// Removes messages that were recalled, have ended, or reached their display limit.
    case remove([String])
}

/// An in-app message as it is stored.
struct StoredInAppMessage: Hashable, Sendable {
    let body: InAppMessageBody
    let startsAt: Date?
    let endsAt: Date?

    var id: String { body.id }
}

extension StoredInAppMessage {
    /// - Returns: nil for an invalid message, which a Belfry server does not send: without an id, or with invalid
    ///   dates.
    init?(_ body: InAppMessageBody) {
        guard !body.id.isEmpty, body.id.utf8.count <= Self.maximumIDBytes, !body.campaignId.isEmpty,
            body.campaignId.utf8.count <= Self.maximumIDBytes
        else { return nil }
        var dates: [Date?] = []
        for text in [body.startsAt, body.endsAt] {
            let date = text.flatMap { Timestamp.date($0) }
            guard (date == nil) == (text == nil) else { return nil }
            dates.append(date)
        }
        self.init(body: body, startsAt: dates[0], endsAt: dates[1])
    }

    /// The maximum length of an id in bytes.
    static let maximumIDBytes = 128
    /// The maximum number of messages that a device keeps; if there are more, the first by priority and age stay. No
    /// Belfry server has as many at a time.
    static let maximumKept = 2 * InAppLimits.maximumActive
}

extension StoredInAppMessage {
    /// The values that decide whether it may be shown.
    var candidate: InAppCandidate {
        InAppCandidate(
            id: id,
            campaignID: body.campaignId,
            version: body.version,
            type: body.type,
            priority: body.priority,
            trigger: body.trigger,
            viewID: body.viewId,
            startsAt: startsAt,
            endsAt: endsAt,
            displayLimit: body.displayLimit,
            displayCount: body.displayCount ?? 0,
            displayEpoch: body.displayEpoch ?? 0,
            delay: TimeInterval(body.delaySeconds)
        )
    }

    /// The public form.
    ///
    /// - Parameter displayCount: how often the person saw it.
    func message(displayCount: Int) -> InAppMessage {
        InAppMessage(
            id: id,
            version: body.version,
            campaignID: body.campaignId,
            type: body.type,
            priority: body.priority,
            trigger: body.trigger,
            viewID: body.viewId,
            startsAt: startsAt,
            endsAt: endsAt,
            displayLimit: body.displayLimit,
            displayCount: displayCount,
            delay: TimeInterval(body.delaySeconds),
            content: body.content
        )
    }
}

extension InAppChange {
    func apply(to db: Database) throws {
        switch self {
        case .purge: try db.execute(sql: "DELETE FROM in_app_message")
        case .keep(let messages):
            for message in messages {
                try db.cachedStatement(
                    sql: "INSERT OR REPLACE INTO in_app_message (id, event, body) VALUES (?, ?, ?)"
                ).execute(arguments: [
                    message.id, message.body.trigger?.eventName, try JSONEncoder().encode(message.body),
                ])
            }
        case .remove(let ids):
            for id in ids {
                try db.execute(sql: "DELETE FROM in_app_message WHERE id = ?", arguments: [id])
            }
        }
    }
}
