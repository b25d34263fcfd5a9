import BelfryCampaigns
import BelfryModel
import BelfryServerModel
import Foundation

/// Suspends silent pushes when credentials or topic are wrong, so that few devices are affected. Nobody pauses and
/// resumes them like a campaign, so the suspension ends by itself (REG-33, REG-35).
actor SilentPushCircuitBreaker {
    /// Seconds for which nothing is sent to a push service that rejects the credentials.
    static let rest: TimeInterval = 600

    private struct Key: Hashable {
        let app: Int64
        let provider: PushProvider
    }

    private struct Watch {
        /// The revision of the credentials that were used; other credentials start from zero.
        let revision: Int64
        var answers = ProviderCircuitBreaker()
        var restsUntil: Date?
    }

    private var watches: [Key: Watch] = [:]

    /// Whether silent pushes of an app may be sent through a push service now.
    func mayGo(app: Int64, provider: PushProvider, revision: Int64, now: Date) -> Bool {
        guard let watch = watches[Key(app: app, provider: provider)], watch.revision == revision,
            let end = watch.restsUntil
        else { return true }
        return now >= end
    }

    /// - Returns: why silent pushes are suspended from now on; nil if they are not suspended, or were already.
    func observe(
        _ outcomes: [PushOutcome], app: Int64, provider: PushProvider, revision: Int64, now: Date
    ) -> String? {
        let key = Key(app: app, provider: provider)
        var watch = watches[key] ?? Watch(revision: revision)
        if watch.revision != revision { watch = Watch(revision: revision) }
        defer { watches[key] = watch }
        if let end = watch.restsUntil {
            // Responses to pushes that were in flight when the suspension began bring no new information.
            guard now >= end else { return nil }
            watch = Watch(revision: revision)
        }
        for outcome in outcomes {
            guard case .pause(let reason) = watch.answers.observe(outcome) else { continue }
            watch.restsUntil = now.addingTimeInterval(Self.rest)
            return reason
        }
        return nil
    }
}
