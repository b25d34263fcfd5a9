import BelfryModel
import BelfryServerModel

/// A state as a chip: a word and a tone, so that it never depends on the colour alone.
struct StatusChip: Hashable, Sendable {
    let word: String
    /// The tone: `quiet`, `good`, `busy`, `warning` or `bad`.
    let tone: String

    init(word: String, tone: String) {
        self.word = word
        self.tone = tone
    }

    init(_ status: CampaignStatus) {
        switch status {
        case .draft: self.init(word: "Draft", tone: "quiet")
        case .scheduled: self.init(word: "Scheduled", tone: "busy")
        case .sending: self.init(word: "Sending", tone: "busy")
        case .active: self.init(word: "Active", tone: "good")
        case .paused: self.init(word: "Paused", tone: "warning")
        case .completed: self.init(word: "Completed", tone: "good")
        case .cancelled: self.init(word: "Cancelled", tone: "quiet")
        }
    }

    init(_ state: DeliveryState) {
        switch state {
        case .pending: self.init(word: "Waiting", tone: "busy")
        case .accepted: self.init(word: "Accepted", tone: "good")
        case .suppressed: self.init(word: "Not sent", tone: "warning")
        case .rejected: self.init(word: "Rejected", tone: "bad")
        case .cancelled: self.init(word: "Cancelled", tone: "quiet")
        }
    }

    /// The chip for a delivery's state. The word for `accepted` depends on the kind of campaign.
    init(_ state: DeliveryState, of kind: CampaignKind) {
        if state == .accepted {
            self.init(word: CampaignFunnel.accepted(kind), tone: "good")
        } else {
            self.init(state)
        }
    }

    /// The chip for the state of a message in a message center.
    init(_ state: MessageState, isRecalled: Bool, isExpired: Bool = false) {
        if isRecalled {
            self.init(word: "Recalled", tone: "warning")
        } else if isExpired {
            self.init(word: "Expired", tone: "quiet")
        } else {
            switch state {
            case .unread: self.init(word: "Unread", tone: "busy")
            case .read: self.init(word: "Read", tone: "good")
            case .deleted: self.init(word: "Deleted", tone: "quiet")
            }
        }
    }
}
