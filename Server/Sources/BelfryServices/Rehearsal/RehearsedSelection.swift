import BelfryServerModel
import BelfryStore
import Foundation

/// Which devices of a rehearsal somebody asks for (CON-12): those for which every part holds.
package struct RehearsedSelection: Hashable, Sendable {
    /// A zone, a platform or a locale.
    package struct Group: Hashable, Sendable {
        package let trait: RehearsedTrait
        /// Nil: those that say none; ``RehearsedGroup/others``: those that are not told apart.
        package let name: String?

        package init(_ trait: RehearsedTrait, _ name: String?) {
            self.trait = trait
            self.name = name
        }
    }

    package var outcome: RehearsedOutcome?
    /// Whether they would get it.
    package var isReached: Bool?
    /// The first moment that counts: when they would get it, or end.
    package var from: Date?
    /// The first moment that counts no more.
    package var to: Date?
    package var group: Group?
    /// Whether a message would be placed in a message center for them.
    package var isPlaced = false
    /// Whether that would push an older one out of sight.
    package var isCrowded = false

    package init(outcome: RehearsedOutcome? = nil) {
        self.outcome = outcome
    }

    /// As the store looks for it; nil: the rehearsal has found nobody of these.
    ///
    /// - Throws: a conflict where a rehearsal of an older program does not know.
    func filter(of figures: RehearsalFigures, launch: Date) throws(ServiceError) -> RehearsedFilter? {
        var filter = RehearsedFilter()
        filter.outcomes = outcomes(of: figures)
        if let outcomes = filter.outcomes, outcomes.isEmpty { return nil }
        if from != nil || to != nil {
            guard let seconds = Self.seconds(from, to, launch: launch) else { return nil }
            filter.after = seconds
        }
        if group != nil || isPlaced || isCrowded {
            guard figures.namesTraits else { throw .unknownTraits }
        }
        if isPlaced { filter.marks.insert(.placed) }
        if isCrowded { filter.marks.insert(.crowded) }
        guard let group else { return filter }
        guard let places = Self.places(of: group, in: figures) else { return nil }
        filter.group = RehearsedFilter.Group(group.trait, places)
        return filter
    }

    /// Nil: all.
    private func outcomes(of figures: RehearsalFigures) -> Set<Int>? {
        guard outcome != nil || isReached != nil else { return nil }
        return Set(
            figures.outcomes.indices.filter { index in
                let found = figures.outcomes[index].outcome
                return (outcome.map { found == $0 } ?? true) && (isReached.map { (found == .accepted) == $0 } ?? true)
            }
        )
    }

    /// Nil: no moment is in between.
    private static func seconds(_ from: Date?, _ to: Date?, launch: Date) -> Range<Int>? {
        func seconds(_ date: Date?, or other: Int) -> Int {
            guard let date else { return other }
            return Int(min(max(date.timeIntervalSince(launch), 0), 1e12).rounded(.up))
        }
        let (first, end) = (seconds(from, or: 0), seconds(to, or: .max))
        return first < end ? first..<end : nil
    }

    /// Nil for a group that is not there.
    private static func places(of group: Group, in figures: RehearsalFigures) -> RehearsedFilter.Places? {
        let groups = figures.groups(by: group.trait)
        guard let found = groups.first(where: { $0.name == group.name }) else { return nil }
        return found.place.map { .only($0) } ?? .allBut(Set(groups.compactMap(\.place)))
    }
}

extension ServiceError {
    fileprivate static let unknownTraits = ServiceError.conflict(
        code: "unknownTraits",
        message: """
            This rehearsal was made by an older version of the server, which did not store the devices behind this number. \
            Rehearse the campaign again.
            """
    )
}
