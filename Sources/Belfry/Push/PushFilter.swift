import BelfryRules

/// Which pushes of ours are taken at the moment: a value that may be read without waiting for the engine.
struct PushFilter: Sendable {
    var marks = RecipientMarks()
    /// That of the contact for whom events are tracked now.
    var reference: String?
    var isResting = false

    /// Why a push is not to be shown, recorded or followed; nil when it is (ID-4, REG-36).
    func dropReason(of push: ReceivedPush) -> PushDropReason? {
        if isResting { return .resting }
        return marks.isFormer(push.payload.to, reference: reference) ? .formerContact : nil
    }
}
