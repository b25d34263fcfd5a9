import BelfryCampaigns
import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

/// Counts the attempts at work that may crash the process, before each attempt, and quarantines the work after too many
/// (SEC-8). It runs in the transaction that takes the work up, or in one of its own.
struct AttemptLog {
    let connection: any SQLConnection
    let now: Date

    /// Counts one more attempt at a subject before it begins. After too many attempts the subject is quarantined.
    ///
    /// - Parameters:
    ///   - owner: the process that begins it.
    ///   - lease: seconds during which no other process may begin it. 0 if the subject has a lease of its own.
    func begin(_ subject: WorkSubject, owner: String, lease: TimeInterval = 0) throws -> AttemptStart {
        let known = try connection.workAttempts.find(subject)
        switch AttemptRule.decide(known, by: owner, now: now) {
        case .leave: return .left
        case .quarantine:
            let work = QuarantinedSubject(subject: subject, attempts: known?.attempts ?? 0, error: known?.reason)
            try quarantine(work, app: known?.app)
            return .quarantined(work)
        case .begin(let attempt):
            let app = try known?.app ?? connection.workAttempts.app(of: subject)
            try connection.workAttempts.save(
                WorkAttempt(
                    subject: subject, app: app, attempts: attempt, owner: owner,
                    leaseUntil: now.addingTimeInterval(lease), reason: known?.reason, since: known?.since ?? now,
                    reached: known?.reached ?? 0
                )
            )
            return .begun
        }
    }

    /// Counts one more attempt at the first of these subjects that may be processed alone now.
    ///
    /// - Returns: that subject, if there is one, and the result for each that was considered.
    func beginFirst<Work>(
        of found: [Work], owner: String, subject: (Work) -> WorkSubject
    ) throws -> (begun: Work?, starts: [AttemptStart]) {
        var starts: [AttemptStart] = []
        for work in found {
            let start = try begin(subject(work), owner: owner)
            starts.append(start)
            if start == .begun { return (work, starts) }
        }
        return (nil, starts)
    }

    /// Takes a subject out of its queue, so that the others continue, and keeps what a retry needs.
    func quarantine(_ work: QuarantinedSubject, app: Int64?) throws {
        let subject = work.subject
        try connection.workAttempts.save(
            WorkAttempt(
                subject: subject, app: app, status: .quarantined, attempts: work.attempts, leaseUntil: now,
                reason: work.reason, since: now
            )
        )
        switch subject.kind {
        case .registration:
            guard let key = try connection.registrations.key(of: subject.number) else { return }
            try RegistrationSteps.forgetWord(of: key, in: connection)
            try connection.registrations.finish(
                key, status: .partlyRejected, rejected: [.registration], now: now
            )
        case .batch:
            guard let campaign = subject.campaign,
                let batch = try connection.batches.find(campaign: campaign, number: subject.part)
            else { return }
            try connection.batches.setQuarantined(true, batch, now: now)
            try noteQuarantine(of: campaign)
        case .plan: try pausePlan(subject, because: work.reason)
        // The row stays unchanged: quarantined work is not leased.
        case .silentPush, .recall, .upkeep, .attributeReview, .contactFollowing, .eventMove: break
        }
    }

    /// Reports what keeps a sending campaign from completing; nothing if it can complete.
    func noteQuarantine(of campaign: CampaignID) throws {
        try connection.campaigns.note(try quarantineNote(of: campaign), of: campaign)
    }

    /// A sentence that says what keeps a sending campaign from completing. Nil if it can complete.
    func quarantineNote(of campaign: CampaignID) throws -> String? {
        let count = try connection.batches.quarantined(of: campaign)
        guard count > 0 else { return nil }
        let subject = count == 1 ? "A batch of its devices is" : "\(count) batches of its devices are"
        return "\(subject) in quarantine: see 'belfry quarantine list', then retry or drop."
    }

    /// Whether a paused campaign is paused for another reason: a person has paused it, or its pushes are rejected.
    static func isPausedOtherwise(_ campaign: Campaign) -> Bool {
        campaign.reason.map { $0.cause != .quarantine } ?? false
    }

    /// A campaign that would send or be shown is paused, so that everybody sees that it does not progress. Its content
    /// is not read, because that may be what crashes the process.
    private func pausePlan(_ subject: WorkSubject, because reason: String) throws {
        let pause = StatusReason(
            "Work on it is in quarantine (\(subject)). \(reason) Resume or cancel it.", cause: .quarantine
        )
        guard let id = subject.campaign, try connection.campaigns.pauseUnread(id, because: pause) else { return }
        guard let app = try connection.campaigns.appOfInApp(id) else { return }
        try connection.inAppRevisions.advance(app: app, now: now)
    }
}

extension RejectedField {
    /// The rejection of a whole registration that was quarantined: nothing of it was applied.
    static let registration = RejectedField(
        field: "registration", reason: "notApplied",
        message: "The server could not apply this registration and changed nothing. Its log has the details."
    )
}
