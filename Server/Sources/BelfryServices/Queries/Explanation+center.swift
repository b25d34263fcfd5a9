import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

extension Explanation {
    /// The sentence for a row of a message-center campaign: whether the message was placed, and the result of the badge
    /// push.
    static func placing(
        _ delivery: DeliveryRow, _ center: MessageCenterDeliveryStatus, campaign: Campaign, clock: ExplanationClock
    ) -> String {
        let now = clock.now
        return switch delivery.state {
        case .accepted: placed(delivery, center, now: now)
        case .pending where delivery.holder != nil && campaign.status == .sending:
            "\(sentence(place(center, now: now))) Its badge push \(tries(delivery)) and will be retried."
        case .pending where delivery.holder != nil:
            "\(sentence(place(center, now: now))) Its badge push \(tries(delivery)): the campaign is "
                + "\(campaign.status.rawValue)."
        case .pending, .suppressed, .rejected, .cancelled:
            unplaced(delivery, center, campaign: campaign, clock: clock) + kept(center, now: now)
        }
    }

    /// The sentence for a device for which the message was not placed.
    private static func unplaced(
        _ delivery: DeliveryRow, _ center: MessageCenterDeliveryStatus, campaign: Campaign, clock: ExplanationClock
    ) -> String {
        switch delivery.state {
        case .pending where delivery.attempts == 0 && delivery.due == nil && campaign.status == .sending:
            center.state == nil
                ? "It has not been placed in the message center '\(center.center)' yet."
                : "This device is still in the queue."
        case .pending, .accepted: pending(delivery, campaign: campaign, clock: clock)
        case .suppressed:
            "It was not placed in the message center '\(center.center)': "
                + "\(suppression(delivery.reason, note: delivery.note))."
        case .rejected: "It was not placed in the message center '\(center.center)'."
        case .cancelled where center.state == nil:
            "The campaign was cancelled before it was placed in this device's message center."
        case .cancelled: "The campaign was cancelled before it reached this device."
        }
    }

    /// For a device for which the message was not placed: the state of the message that its contact has nevertheless
    /// (MC-5).
    static func kept(_ center: MessageCenterDeliveryStatus?, now: Date) -> String {
        guard let clause = center?.clause(now: now) else { return "" }
        return " But the contact received the message: \(clause)."
    }

    private static func place(_ center: MessageCenterDeliveryStatus, now: Date) -> String {
        center.clause(now: now)
            ?? "it was placed in the message center '\(center.center)' and is no longer there"
    }

    private static func placed(_ delivery: DeliveryRow, _ center: MessageCenterDeliveryStatus, now: Date) -> String {
        let place = place(center, now: now)
        guard case .badge(let word)? = delivery.note.map(DeliveryNote.init(text:)) else { return sentence(place) }
        return
            "\(sentence(place)) Its badge push failed ('\(word)'); the device gets its badge with its next request."
    }

    private static func tries(_ delivery: DeliveryRow) -> String {
        delivery.attempts == 0 ? "was not sent yet" : "was tried \(times(delivery.attempts))"
    }

    /// Turns a clause into a sentence.
    static func sentence(_ clause: String?) -> String {
        guard let clause else { return "" }
        return clause.prefix(1).uppercased() + clause.dropFirst() + "."
    }
}
