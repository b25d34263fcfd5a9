import BelfryCampaigns
import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

/// Finds out, before anything is sent, whether devices with claimed pushes have entered the audience of a published
/// message (IAM-15). A device that has gets a row in the ledger. A device that has not, and for which there is no other
/// reason, gets no push, and its budget is not charged.
struct SilentPushQuestions: Sendable {
    let app: Int64
    let owner: String
    /// Whether this is a counted attempt (SEC-8).
    let isAlone: Bool
    let pipeline: PushPipeline

    /// - Returns: the pushes that have a reason to be sent, and the devices of the others.
    func answered(
        _ pushes: [ClaimedSilentPush], now: Date
    ) async throws -> (pushes: [ClaimedSilentPush], quiet: [Int64]) {
        let asking = pushes.filter { !$0.state.carried.changes.isEmpty }
        guard !asking.isEmpty else { return (pushes, []) }
        let changes = Dictionary(asking.map { ($0.device, $0.state.carried.changes) }) { first, _ in first }
        let entries = try await InAppAudienceEntries(database: pipeline.database, app: app, now: now).find(changes)
        let decisions = try await pipeline.write(turn: .patient) { connection, now in
            try write(entries, asking, connection, now: now)
        }
        let others = pushes.filter { $0.state.carried.changes.isEmpty }
        let quiet = decisions.filter { !$0.hasReason }.map(\.push.device)
        pipeline.metrics.add(quiet.count, to: "belfry_silent_pushes_total{outcome=\"nothingNew\"}")
        return (others + decisions.filter(\.hasReason).map(\.push), quiet)
    }

    private struct Decision: Sendable {
        let push: ClaimedSilentPush
        /// Whether the push has a reason to be sent.
        let hasReason: Bool
    }

    /// Writes the result to the ledger together with the reasons of the pushes, so that a worker's death leaves both or
    /// neither. If a campaign has ended in the meantime, or a device has got another contact, it gets no reason; the
    /// new contact raises a question of its own.
    private func write(
        _ entries: [CampaignID: [AudienceMember]], _ asking: [ClaimedSilentPush], _ connection: any SQLConnection,
        now: Date
    ) throws -> [Decision] {
        let contacts = try connection.devices.contacts(of: asking.map(\.device))
        var entered: Set<Int64> = []
        for (id, members) in entries.sorted(by: { $0.key < $1.key }) {
            guard try connection.campaigns.status(of: id) == .active else { continue }
            let members = members.filter { contacts[$0.device]?.isStill($0.contact) == true }
            try connection.inAppDeliveries.plan(id, app: app, members: members, now: now)
            entered.formUnion(members.map(\.device))
        }
        let held = try connection.silentPushes.held(asking.map(\.device), owner: owner)
        let states = Dictionary(held.map { ($0.device, $0.state) }) { first, _ in first }
        var decisions: [Decision] = []
        var rows: (due: [SilentPushRow], quiet: [SilentPushRow]) = ([], [])
        for push in asking {
            // Another owner has taken the push over in the meantime.
            guard var state = states[push.device], state.number == push.state.number else {
                decisions.append(Decision(push: push, hasReason: false))
                continue
            }
            let hasReason = state.answer(hasEntered: entered.contains(push.device), at: now)
            let row = SilentPushRow(device: push.device, state: state)
            if hasReason { rows.due.append(row) } else { rows.quiet.append(row) }
            decisions.append(
                Decision(
                    push: ClaimedSilentPush(device: push.device, state: state, isRepeat: push.isRepeat),
                    hasReason: hasReason
                )
            )
        }
        try connection.silentPushes.save(rows.due, owner: owner)
        try connection.silentPushes.save(rows.quiet, owner: nil)
        if isAlone {
            for row in rows.quiet { try connection.workAttempts.end(.silentPush(device: row.device)) }
        }
        return decisions
    }
}
