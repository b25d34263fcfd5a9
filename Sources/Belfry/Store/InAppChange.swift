import BelfryModel
import BelfryRules
import BelfryWire
import Foundation
import GRDB

/// What a step of the device's life does to the in-app messages that it holds.
enum InAppChange: Sendable {
    /// All of them go: they are another's (IAM-11).
    case purge
    /// New ones, and new versions in the place of the former ones (IAM-4).
    case keep([StoredInAppMessage])
    /// They were recalled, have ended, or were shown as often as they may be.
    case remove([String])
}

/// An in-app message as the device keeps it.
struct StoredInAppMessage: Hashable, Sendable {
    let body: InAppMessageBody
    let startsAt: Date?
    let endsAt: Date?

    var id: String { body.id }
}

extension StoredInAppMessage {
    /// - Returns: nil for a message that no Belfry server writes: without an id, or with dates that are none.
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

    /// Bytes of an id that is taken.
    static let maximumIDBytes = 128
    /// Messages that a device keeps; of more the first by priority and age stay. No Belfry server has as many at a time.
    static let maximumKept = 2 * InAppLimits.maximumActive
}

extension StoredInAppMessage {
    /// What decides whether it may be shown.
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

    /// As the app sees it.
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
