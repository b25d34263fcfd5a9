import BelfryModel
import BelfryPush
import BelfryStore
import Foundation

/// Sends a message to a few devices at once and waits for what the push services say (CAMP-7). It is in no ledger, and
/// what devices report of it counts nowhere: its ids name no campaign.
package struct TestDelivery: Sendable {
    let accounts: PushAccounts
    let carrier: any PushCarrier
    let keys: ServerKeys

    package init(accounts: PushAccounts, carrier: any PushCarrier, keys: ServerKeys) {
        self.accounts = accounts
        self.carrier = carrier
        self.keys = keys
    }

    /// - Parameter load: the campaign as if it were launched now, without its schedule, and the devices.
    /// - Returns: one verdict for each device; none is tried again.
    func send(_ load: RoundLoad, environment: ServerEnvironment) async throws -> [Verdict] {
        let now = environment.now()
        let standings = try await accounts.standings(for: load, now: now)
        var selection = CandidateSelection(load, now: now)
        let (candidates, unsuited) = selection.candidates()
        var making = RequestMaking(
            load, standings: standings, markKey: keys.recipientMark, now: now,
            messageID: { _ in MessageID(foreign: environment.uuid()) }
        )
        let (sendings, unsendable) = making.sendings(candidates, jitter: environment.jitter)
        var verdicts = unsuited + unsendable
        let inbox = OutcomeInbox()
        for (index, sending) in sendings.enumerated() {
            carrier.send([sending.routed.request], by: sending.routed.route) { _, result in
                inbox.put(.init(index: index, result: result))
            }
        }
        var answered = 0
        while answered < sendings.count {
            for answer in await inbox.take() {
                answered += 1
                let sending = sendings[answer.index]
                let outcome = standings.account(of: sending.candidate).outcome(
                    of: answer.result, now: environment.now())
                verdicts.append(
                    .after(outcome, sending.candidate, load, now: environment.now(), jitter: environment.jitter)
                )
            }
        }
        return verdicts
    }
}
