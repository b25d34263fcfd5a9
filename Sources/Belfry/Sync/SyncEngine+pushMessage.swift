import BelfryModel
import BelfryRules
import Foundation

/// From a push that was opened to the message that was kept with it (MC-3, CAMP-6).
extension SyncEngine {
    /// The message of the push's campaign; when the device does not have it, all centres are fetched once.
    ///
    /// - Returns: nil when the person has no such message, and for a push that is meant for a former person (ID-4).
    func message(for push: ReceivedPush) async throws(MessageCenterError) -> StoredCenterMessage? {
        guard try isForPresentPerson(push), let campaign = push.payload.campaign.flatMap({ CampaignID($0) }) else {
            return nil
        }
        if let message = try storedMessage(of: campaign) { return message }
        try await refreshCenters()
        // Somebody else may use the device by now.
        guard try isForPresentPerson(push) else { return nil }
        return try storedMessage(of: campaign)
    }

    /// Nothing is reported here: who opened the push was told already when that was recorded.
    private func isForPresentPerson(_ push: ReceivedPush) throws(MessageCenterError) -> Bool {
        let current = try presentState()
        guard current.sync.centers.isEnabled else { throw .notEnabledYet }
        return current.pushFilter.dropReason(of: push) == nil
    }

    /// A person has one message of a campaign at most, and its id names the campaign.
    private func storedMessage(of campaign: CampaignID) throws(MessageCenterError) -> StoredCenterMessage? {
        do throws(BelfryError) {
            let messages = try storage.opened().store.centerMessages(in: nil, retention(at: environment.now()))
            return messages.first { MessageID($0.id)?.campaign == campaign }
        } catch {
            throw MessageCenterError(error)
        }
    }
}
