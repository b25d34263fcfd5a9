import BelfryModel
import BelfryServices
import BelfryWire
import Foundation

/// The response to a sync as JSON. Most responses have nothing new and contain only their cursor (PERF-7).
enum InAppText {
    /// The same JSON as ``BelfryWire/InAppSyncResponse``.
    static func sync(_ sync: InAppSync) throws -> [UInt8] {
        guard sync.messages.isEmpty, sync.recalled.isEmpty else {
            return Array(try JSONEncoder.responses.encode(InAppSyncResponse(sync)))
        }
        return unchanged(sync.cursor, registration: sync.registration, needsPushToken: sync.hasLostToken)
    }

    /// The response to a sync without new messages or recalls.
    static func unchanged(
        _ cursor: String, registration: RegistrationResult? = nil, needsPushToken: Bool = false
    ) -> [UInt8] {
        var text = JSONWriter(capacity: cursor.utf8.count + 64)
        text.literal(#"{"cursor":"#)
        text.string(cursor)
        text.literal(#","messages":[]"#)
        // The members are in alphabetical order, as the encoder sorts them.
        if needsPushToken { text.literal(#","pushTokenNeeded":true"#) }
        text.literal(#","recalled":[]"#)
        if let registration {
            text.literal(",")
            text.member(registration: registration)
        }
        text.literal("}")
        return text.bytes
    }
}

extension InAppSyncResponse {
    init(_ sync: InAppSync) {
        self.init(
            cursor: sync.cursor, messages: sync.messages.map(InAppMessageBody.init),
            recalled: sync.recalled.map(\.text), registration: sync.registration,
            pushTokenNeeded: sync.hasLostToken ? true : nil
        )
    }
}

extension InAppMessageBody {
    init(_ message: OutgoingInAppMessage) {
        let draft = message.draft
        self.init(
            id: message.id.text, version: message.version, campaignId: message.campaign.description, type: draft.type,
            priority: draft.effectivePriority, trigger: draft.trigger, viewId: draft.viewId,
            startsAt: draft.startsAt.map(Timestamp.text), endsAt: draft.endsAt.map(Timestamp.text),
            displayLimit: draft.effectiveDisplayLimit,
            displayCount: message.displayCount > 0 ? message.displayCount : nil,
            displayEpoch: message.displayEpoch > 0 ? message.displayEpoch : nil,
            delaySeconds: draft.effectiveDelaySeconds, content: draft.content
        )
    }
}
