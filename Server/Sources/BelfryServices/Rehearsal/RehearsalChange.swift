import BelfryServerModel

/// What changed from one rehearsal of a campaign to the next: the devices of one outcome.
package struct RehearsalChange: Hashable, Sendable {
    package let outcome: RehearsedOutcome
    package let before: Int
    package let now: Int

    /// Those that changed, the largest change first.
    package static func all(from former: RehearsalFigures, to figures: RehearsalFigures) -> [RehearsalChange] {
        func counts(_ figures: RehearsalFigures) -> [RehearsedOutcome: Int] {
            Dictionary(figures.outcomes.map { ($0.outcome, $0.count) }, uniquingKeysWith: +)
        }
        let (before, now) = (counts(former), counts(figures))
        return Set(before.keys).union(now.keys).map { outcome in
            RehearsalChange(outcome: outcome, before: before[outcome] ?? 0, now: now[outcome] ?? 0)
        }.filter { $0.before != $0.now }.sorted { one, other in
            (abs(other.now - other.before), one.outcome.state.rawValue, one.outcome.reason?.rawValue ?? "")
                < (abs(one.now - one.before), other.outcome.state.rawValue, other.outcome.reason?.rawValue ?? "")
        }
    }
}
