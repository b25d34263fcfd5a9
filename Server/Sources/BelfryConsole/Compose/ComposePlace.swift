import BelfryModel

/// The context of a compose form: the campaign that it edits, and the address to which it is sent.
struct ComposePlace: Sendable {
    /// A launched in-app message that the form changes.
    struct Launched: Sendable {
        /// Whether a change needs an approval before it is published.
        let asksForApproval: Bool
        /// The number of the unpublished version from which the form begins; nil: it begins from the published one.
        let waiting: Int64?
    }

    /// The address of the list of campaigns.
    let base: String
    /// The campaign that is edited; nil for a new one.
    let campaign: CampaignID?
    /// The version that the editor began from; empty for a new campaign.
    let version: String
    let formToken: String
    /// Nil where the form edits a draft.
    var launched: Launched?
    /// The number of the version that the editor began from; nil where that version is not kept.
    var number: Int64?
    /// The idempotency key of the form of a new campaign; otherwise empty.
    var key = ""

    var formAddress: String { campaign.map { "\(base)/\($0)/edit" } ?? "\(base)/new" }

    /// Nil for a new campaign.
    var heading: String? {
        guard campaign != nil else { return nil }
        return launched == nil ? "Edit the draft" : "Change the message"
    }

    var lead: String {
        guard let launched else { return "It is saved as a draft. Nothing is sent before it is launched." }
        let begin =
            launched.waiting.map { "You continue from version \($0), which waits to be published. " }
            ?? "Devices have this message. "
        let rule =
            launched.asksForApproval
            ? "A change is saved as a version that waits: it is rehearsed, approved by a person who did not edit it, and published then."
            : "Publish a change, or save it as a version that waits, so that others can look at it first."
        return begin + rule
    }

    var savings: [ComposeModel.Saving] {
        guard let launched else { return [.init("Save the draft", "", isPrimary: true)] }
        let wait = ComposeModel.Saving(
            "Save as a version that waits", ComposeChange.waits, isPrimary: launched.asksForApproval
        )
        guard !launched.asksForApproval else { return [wait] }
        let publish = ComposeModel.Saving(
            "Publish the change", ComposeChange.publishes, isPrimary: true,
            question: "Replace the message on all devices by this change?"
        )
        // Enter in a field presses the first button, so that must be the one that does not change devices.
        return [wait, publish]
    }
}

extension ComposeModel.Saving {
    fileprivate init(_ title: String, _ value: String, isPrimary: Bool, question: String? = nil) {
        self.init(
            savingTitle: title, savingValue: value, savingStyle: isPrimary ? "button-primary" : "",
            savingQuestion: question
        )
    }
}
