import BelfryServerModel
import BelfryStore
import Foundation

/// Selects devices of a rehearsal (CON-12). A device must match every part that is set.
package struct RehearsedSelection: Hashable, Sendable {
    /// A zone, a platform or a locale.
    package struct Group: Hashable, Sendable {
        package let trait: RehearsedTrait
        /// Nil for devices that report none; ``RehearsedGroup/others`` for those that are not counted separately.
        package let name: String?

        package init(_ trait: RehearsedTrait, _ name: String?) {
            self.trait = trait
            self.name = name
        }
    }

    package var outcome: RehearsedOutcome?
    /// Whether the devices would get the message.
    package var isReached: Bool?
    /// The start of the period, inclusive, in which the message would be sent or the delivery would end.
    package var from: Date?
    /// The end of the period, exclusive.
    package var to: Date?
    package var group: Group?
    /// Whether to select only devices for which a message would be placed in a message center.
    package var isPlaced = false
    /// Whether to select only devices for which the placed message would hide an older one.
    package var isCrowded = false

    package init(outcome: RehearsedOutcome? = nil) {
        self.outcome = outcome
    }

    /// The filter for the store; nil if no device of the rehearsal matches.
    ///
    /// - Throws: a conflict if the rehearsal was made by an older version of the server without the necessary data.
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

    /// The indices of the selected outcomes; nil for all.
    private func outcomes(of figures: RehearsalFigures) -> Set<Int>? {
        guard outcome != nil || isReached != nil else { return nil }
        return Set(
            figures.outcomes.indices.filter { index in
                let found = figures.outcomes[index].outcome
                return (outcome.map { found == $0 } ?? true) && (isReached.map { (found == .accepted) == $0 } ?? true)
            }
        )
    }

    /// The period in seconds after the launch; nil if it is empty.
    private static func seconds(_ from: Date?, _ to: Date?, launch: Date) -> Range<Int>? {
        func seconds(_ date: Date?, or other: Int) -> Int {
            guard let date else { return other }
            return Int(min(max(date.timeIntervalSince(launch), 0), 1e12).rounded(.up))
        }
        let (first, end) = (seconds(from, or: 0), seconds(to, or: .max))
        return first < end ? first..<end : nil
    }

    /// The indices of a group; nil for a group that the figures do not have.
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
