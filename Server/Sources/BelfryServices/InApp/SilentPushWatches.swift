import BelfryModel
import BelfryRules
import Foundation

/// Sees to it that wrong credentials, or a wrong topic, cost few devices: nobody pauses silent pushes as one pauses a
/// campaign, so they rest for a while by themselves (REG-33, REG-35).
actor SilentPushWatches {
    /// Seconds for which nothing is sent to a push service with credentials that it refuses.
    static let rest: TimeInterval = 600

    private struct Key: Hashable {
        let app: Int64
        let provider: PushProvider
    }

    private struct Watch {
        /// Of the credentials that are judged; others begin anew.
        let revision: Int64
        var answers = ProviderTroubleWatch()
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

    /// - Returns: why silent pushes rest from now on; nil when they go on, or rest already.
    func observe(
        _ outcomes: [PushOutcome], app: Int64, provider: PushProvider, revision: Int64, now: Date
    ) -> String? {
        let key = Key(app: app, provider: provider)
        var watch = watches[key] ?? Watch(revision: revision)
        if watch.revision != revision { watch = Watch(revision: revision) }
        defer { watches[key] = watch }
        if let end = watch.restsUntil {
            // What was under way when the rest began tells nothing new.
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
