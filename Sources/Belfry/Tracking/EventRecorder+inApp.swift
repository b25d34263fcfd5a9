import BelfryModel
import BelfryRules
import Foundation

/// What a person sees of the app, and what they do with in-app messages (IAM-5, IAM-9).
extension EventRecorder {
    /// A screen of the app is shown.
    func trackScreen(_ name: String, attributes: [String: AttributeValue]) throws(BelfryError) {
        let parsed: EventName
        do throws(Refusal) {
            parsed = try EventName(name)
        } catch {
            throw BelfryError(.invalidEvent, error.message, field: "name")
        }
        var attributes = attributes
        attributes["name"] = .string(parsed.rawValue)
        let opened = try storage.opened()
        let event = try queued(.internal, .screen, attributes: attributes)
        noticed(try opened.store.append(event), by: event)
    }

    /// What happened to a message, for the engine to store together with what it remembers of it.
    ///
    /// - Parameter name: one of `inapp:viewed` and its like.
    func queued(
        _ name: EventName,
        of message: InAppName,
        _ attributes: [String: AttributeValue] = [:],
        at date: Date,
        context: TrackingContext
    ) throws(BelfryError) -> QueuedEvent {
        var attributes = attributes
        attributes["campaignId"] = .string(message.campaign)
        attributes["messageId"] = .string(message.message)
        return try queued(.internal, name, attributes: attributes, at: date, context: context)
    }
}

/// What the events of a message name it by.
struct InAppName: Hashable, Sendable {
    let message: String
    let campaign: String
}

extension InAppTicket {
    var name: InAppName { InAppName(message: messageID, campaign: campaignID) }
}

extension InlineUses.Use {
    var name: InAppName { InAppName(message: message.id, campaign: message.campaignID) }
}
