import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

/// The campaign's outcome for one recipient, and when.
struct RehearsedDelivery: Sendable {
    let recipient: Recipient
    let outcome: RehearsedOutcome
    let at: Date
    /// Whether a message would be in a message center.
    let hasMessage: Bool
}

/// The recipients of a page in virtual time: those who still wait for their turn, and those with an outcome.
struct RehearsedPage: Sendable {
    private let launch: Date
    /// The waiting recipients, in the order of their numbers.
    private var open: [Recipient]
    /// The recipients whose turn it is, by device.
    private var underWay: [Int64: Recipient] = [:]
    private var placed: [Int64: Bool] = [:]
    private(set) var ended: [RehearsedDelivery] = []

    init(_ recipients: [Recipient], launch: Date) {
        self.launch = launch
        open = recipients
        ended.reserveCapacity(recipients.count)
        nextDate = open.lazy.map(due).min()
    }

    /// When the next recipient's turn comes; nil if nobody is left. Stored, because it is read at each turn.
    private(set) var nextDate: Date?

    private func due(_ recipient: Recipient) -> Date { max(recipient.retryAt ?? launch, launch) }

    /// Removes the recipients whose turn has come. Each is then settled or put back.
    mutating func takeDue(by date: Date) -> [Recipient] {
        let chosen = open.filter { due($0) <= date }
        open = open.filter { due($0) > date }
        nextDate = open.lazy.map(due).min()
        for recipient in chosen { underWay[recipient.device] = recipient }
        return chosen
    }

    mutating func putBack(_ recipients: some Sequence<Recipient>) {
        for recipient in recipients where underWay.removeValue(forKey: recipient.device) != nil { insert(recipient) }
    }

    /// Records that the message of a recipient whose turn it is was placed, or that there was none to place.
    mutating func place(_ device: Int64, hasMessage: Bool) {
        placed[device] = placed[device] == true || hasMessage
    }

    /// Records the decision about a recipient whose turn it is: an outcome, or a wait for another turn.
    mutating func settle(_ result: DeliveryResult, at now: Date) {
        let update = result.update
        guard let recipient = underWay.removeValue(forKey: update.device) else { return }
        guard update.state == .pending, let next = update.retryAt, next > now else {
            return end(recipient, RehearsedOutcome(state: update.state, reason: update.reason), at: now)
        }
        insert(Recipient(recipient, after: update, isPlaced: placed[update.device] != nil))
    }

    /// Records that the message is sent.
    mutating func accept(_ device: Int64, at now: Date) {
        guard let recipient = underWay.removeValue(forKey: device) else { return }
        end(recipient, .accepted, at: now)
    }

    /// Ends the remaining recipients as pending, because their turns would never end.
    mutating func abandon(at now: Date) {
        for recipient in open { end(recipient, RehearsedOutcome(state: .pending), at: now) }
        open = []
        nextDate = nil
    }

    private mutating func end(_ recipient: Recipient, _ outcome: RehearsedOutcome, at now: Date) {
        ended.append(
            RehearsedDelivery(
                recipient: recipient, outcome: outcome, at: now, hasMessage: placed[recipient.device] ?? false
            )
        )
    }

    private mutating func insert(_ recipient: Recipient) {
        var (low, high) = (0, open.count)
        while low < high {
            let middle = (low + high) / 2
            if open[middle].device < recipient.device { low = middle + 1 } else { high = middle }
        }
        open.insert(recipient, at: low)
        nextDate = min(nextDate ?? due(recipient), due(recipient))
    }
}
