import BelfryModel
import BelfryPush
import BelfryServerModel
import BelfryStore
import Foundation

/// Sends a message to a few devices and waits for the results (CAMP-7). It is not in the ledger, and devices' reports
/// about it do not count, because its ids belong to no campaign.
package struct TestDelivery: Sendable {
    let accounts: PushAccounts
    let transport: any PushTransport
    let keys: ServerKeys

    package init(accounts: PushAccounts, transport: any PushTransport, keys: ServerKeys) {
        self.accounts = accounts
        self.transport = transport
        self.keys = keys
    }

    /// - Parameter load: the campaign as if it were launched now, without its schedule, and the devices.
    /// - Returns: one result for each device; none is retried.
    func send(_ load: BatchContext, environment: ServerEnvironment) async throws -> [DeliveryResult] {
        let now = environment.now()
        let accountStates = try await accounts.accountStates(for: load, now: now)
        var selection = CandidateSelection(load, now: now)
        let (candidates, unsuited) = selection.candidates()
        let messages = CampaignMessages(
            load, tagKey: keys.recipientMark, messageID: { _ in MessageID(foreign: environment.uuid()) }
        )
        var exchange = PushExchange(
            builder: PushRequestBuilder(messages, accountStates: accountStates, now: now), transport: transport,
            environment: environment
        )
        var results = unsuited
        try await exchange.send(candidates) { attempts in
            results += attempts.map { DeliveryResult.after($0, load, jitter: environment.jitter) }
            return true
        }
        return results
    }
}

/// The result of a test message to one device (CAMP-7).
package struct TestSendResult: Hashable, Sendable {
    package let device: String
    /// A delivery state: accepted, suppressed, rejected.
    package let state: DeliveryState
    package let reason: DeliveryReason?
    /// The result as a sentence.
    package let sentence: String

    package init(device: String, state: DeliveryState, reason: DeliveryReason? = nil, sentence: String) {
        self.device = device
        self.state = state
        self.reason = reason
        self.sentence = sentence
    }
}
