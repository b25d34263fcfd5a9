import BelfryModel
import BelfryStore
import Foundation

extension Explanation {
    /// What a row of a message-centre campaign says: whether the message was placed, and what became of the badge push.
    static func placing(_ delivery: DeliveryRow, _ center: CenterFate, campaign: Campaign, now: Date) -> String {
        switch delivery.state {
        case .accepted: placed(delivery, center, now: now)
        case .pending where delivery.isBadged && campaign.status == .sending:
            "\(sentence(place(center, now: now))) Its badge push \(tries(delivery)) and will be tried again."
        case .pending where delivery.isBadged:
            "\(sentence(place(center, now: now))) Its badge push \(tries(delivery)): the campaign is "
                + "\(campaign.status.rawValue)."
        case .pending, .suppressed, .rejected, .cancelled:
            unplaced(delivery, center, campaign: campaign, now: now) + kept(center, now: now)
        }
    }

    /// What the device itself brought into no centre.
    private static func unplaced(
        _ delivery: DeliveryRow, _ center: CenterFate, campaign: Campaign, now: Date
    ) -> String {
        switch delivery.state {
        case .pending where delivery.attempts == 0 && delivery.due == nil && campaign.status == .sending:
            center.state == nil
                ? "It has not been placed in the message center '\(center.center)' yet."
                : "This device's turn has not come yet."
        case .pending, .accepted: pending(delivery, campaign: campaign, now: now)
        case .suppressed:
            "It was not placed in the message center '\(center.center)': "
                + "\(suppression(delivery.reason, note: delivery.note))."
        case .rejected: "It was not placed in the message center '\(center.center)'."
        case .cancelled where center.state == nil:
            "The campaign was cancelled before it was placed in this device's message center."
        case .cancelled: "The campaign was cancelled before this device's turn."
        }
    }

    /// Of a device that did not bring it: what its contact has of the message all the same (MC-5).
    static func kept(_ center: CenterFate?, now: Date) -> String {
        guard let clause = center?.clause(now: now) else { return "" }
        return " Yet the contact got the message: \(clause)."
    }

    private static func place(_ center: CenterFate, now: Date) -> String {
        center.clause(now: now)
            ?? "it was placed in the message center '\(center.center)', and is not there any more"
    }

    private static func placed(_ delivery: DeliveryRow, _ center: CenterFate, now: Date) -> String {
        let place = place(center, now: now)
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
