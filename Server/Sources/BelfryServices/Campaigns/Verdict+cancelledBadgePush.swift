import BelfryModel
import BelfryStore

extension Verdict {
    /// What is noted of a badge push that a cancel ended, whose message lies in its centre: the last word on its tries, or
    /// that the campaign was cancelled.
    static func noteOfCancelledBadgePush(after note: String?) -> String? {
        // As though it had not been sent; which device it was does not matter to the note.
        let ended = DeliveryUpdate(
            device: 0, state: .suppressed, reason: .campaignCancelled, attempts: 0, note: note
        )
        return Verdict(update: ended).placed.update.note
    }
}
