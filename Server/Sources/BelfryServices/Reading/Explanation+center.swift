import BelfryModel
import BelfryStore
import Foundation

extension Explanation {
    /// What a row of a message-centre campaign says: whether the message was placed, and what became of the badge push.
    static func placing(_ delivery: DeliveryRow, _ center: CenterFate, campaign: Campaign, now: Date) -> String {
        switch delivery.state {
        case .accepted: placed(delivery, center, now: now)
        case .pending where center.state != nil && campaign.status == .sending:
            "\(sentence(center.clause(now: now))) Its badge push \(tries(delivery)) and will be tried again."
        case .pending where delivery.attempts == 0 && delivery.due == nil && campaign.status == .sending:
            "It has not been placed in the message center '\(center.center)' yet."
        case .pending: pending(delivery, campaign: campaign, now: now)
        case .suppressed:
            "It was not placed in the message center '\(center.center)': "
                + "\(suppression(delivery.reason, note: delivery.note))."
        case .rejected: "It was not placed in the message center '\(center.center)'."
        case .cancelled: "The campaign was cancelled before it was placed in this device's message center."
        }
    }

    private static func placed(_ delivery: DeliveryRow, _ center: CenterFate, now: Date) -> String {
        let place =
            center.clause(now: now)
            ?? "it was placed in the message center '\(center.center)', and is not there any more"
        guard case .badge(let word)? = delivery.note.map(DeliveryNote.init(text:)) else { return sentence(place) }
        return
            "\(sentence(place)) Its badge push came to nothing ('\(word)'): the device learns its badge when it asks."
    }

    private static func tries(_ delivery: DeliveryRow) -> String {
        delivery.attempts == 0 ? "has not left yet" : "was tried \(times(delivery.attempts))"
    }

    /// A clause as a sentence of its own.
    static func sentence(_ clause: String?) -> String {
        guard let clause else { return "" }
        return clause.prefix(1).uppercased() + clause.dropFirst() + "."
    }
}
