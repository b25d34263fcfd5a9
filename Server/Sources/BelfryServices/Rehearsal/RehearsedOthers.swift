import BelfryCampaigns
import BelfryModel
import BelfryServerModel
import BelfryStore
import Crypto
import Foundation

/// Simulates the other campaigns, by the same rules that send them: their pushes to the devices of a page count against
/// the caps of those devices (CAMP-5).
struct RehearsedOthers: Sendable {
    private struct Other: Sendable {
        let campaign: CampaignID
        /// The campaign's rounds without its cap: a recipient that the cap holds back has used a turn like any other.
        var rounds: RehearsedRounds
        let cap: FrequencyCap?
        let isRated: Bool
        var devices = 0
    }

    /// One notification that would be sent, unless its campaign's cap prevents it.
    private struct Send {
        let at: Date
        /// The index of its campaign among the others.
        let other: Int
        /// Whether the send is a retry, which is not checked against the cap again.
        let isRetry: Bool
    }

    private var others: [Other] = []

    /// - Parameters:
    ///   - loads: the campaigns, ordered by their start.
    ///   - now: the time of the rehearsal; nothing that is pending is sent before it.
    init(_ loads: [BatchContext], accounts: PushAccounts, tagKey: SymmetricKey, now: Date) {
        others = loads.map { load in
            Other(
                campaign: load.row.id,
                rounds: RehearsedRounds(
                    load, accounts: accounts.rehearsed(for: load).accounts, tagKey: tagKey, from: now, isCapped: false
                ),
                cap: load.schedule?.frequencyCap, isRated: load.schedule?.ratePerSecond != nil
            )
        }
    }

    /// Adds to a page when its devices get the notifications of the other campaigns. For each device they are decided
    /// in the order of time, so that each cap counts the earlier ones.
    mutating func play(_ input: inout RehearsalInput) {
        guard !others.isEmpty else { return }
        let rehearsed = Set(input.recipients.map(\.device))
        var sends: [Int64: [Send]] = [:]
        for (index, recipients) in input.others.enumerated() {
            others[index].devices += recipients.count
            var ends: [Int64: Date] = [:]
            for delivery in others[index].rounds.play(RehearsalInput(recipients: recipients, reached: input.reached))
            where delivery.outcome.state != .pending && rehearsed.contains(delivery.recipient.device) {
                ends[delivery.recipient.device] = delivery.at
                guard delivery.outcome == .accepted else { continue }
                let send = Send(at: delivery.at, other: index, isRetry: delivery.recipient.triedAt != nil)
                sends[delivery.recipient.device, default: []].append(send)
            }
            // A send that waits for a retry counts from its first attempt, until it is sent and counts from then.
            for (device, date) in input.reserved[others[index].campaign] ?? [:] where rehearsed.contains(device) {
                input.pushes[device, default: []].append(CountedPush(at: date, until: ends[device]))
            }
        }
        for (device, own) in sends {
            var pushes = input.pushes[device] ?? []
            for send in own.sorted(by: { ($0.at, $0.other) < ($1.at, $1.other) }) {
                let cap = send.isRetry ? nil : others[send.other].cap
                if cap?.admits(pushes, now: send.at) ?? true { pushes.append(CountedPush(at: send.at)) }
            }
            input.pushes[device] = pushes
        }
    }

    /// Sentences about results that may turn out differently.
    var warnings: [String] {
        others.filter { $0.isRated && $0.devices > CampaignPlanner.batchSize }.map { other in
            """
            Campaign \(other.campaign) sends at a limited rate to many devices. Which of them have got it at a given time, and \
            so have reached their frequency cap, is estimated by the order of registration. The real order may differ.
            """
        }
    }
}
