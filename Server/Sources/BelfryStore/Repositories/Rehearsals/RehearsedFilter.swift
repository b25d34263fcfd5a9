import BelfryServerModel

/// A filter for the devices of a rehearsal: all parts must hold.
package struct RehearsedFilter: Hashable, Sendable {
    /// A set of values of a trait, by index.
    package enum Places: Hashable, Sendable {
        case only(Int)
        case allBut(Set<Int>)
    }

    package struct Group: Hashable, Sendable {
        let trait: RehearsedTrait
        let places: Places

        package init(_ trait: RehearsedTrait, _ places: Places) {
            self.trait = trait
            self.places = places
        }
    }

    /// Indexes of outcomes; nil: all.
    package var outcomes: Set<Int>?
    /// Seconds after the launch; nil: any.
    package var after: Range<Int>?
    package var group: Group?
    package var marks: RehearsedMarks = []

    package init() {}

    /// A mask for the column of pages' outcomes, which selects pages that may have a match.
    var outcomeMask: Int64 {
        outcomes.map { $0.reduce(0) { $0 | PlaceMask.bit(of: $1) } } ?? .max
    }

    package func admits(_ device: RehearsedDevice) -> Bool {
        if let outcomes, !outcomes.contains(device.outcome) { return false }
        if let after, !after.contains(device.after) { return false }
        guard group != nil || !marks.isEmpty else { return true }
        guard let traits = device.traits, traits.marks.isSuperset(of: marks) else { return false }
        return group?.contains(traits) ?? true
    }

    /// Whether a page may have a match.
    ///
    /// - Parameter head: nil for a page of an older program.
    func mayAdmit(_ head: RehearsalPageHead?) -> Bool {
        guard let head else { return group == nil && marks.isEmpty }
        if let after, after.upperBound <= head.after.lowerBound || after.lowerBound > head.after.upperBound {
            return false
        }
        return head.marks.isSuperset(of: marks) && group?.mayBe(in: head) ?? true
    }
}

extension RehearsedFilter.Group {
    fileprivate func contains(_ traits: RehearsedTraits) -> Bool {
        let place =
            switch trait {
            case .zone: traits.zone
            case .platform: traits.platform
            case .locale: traits.locale
            }
        switch places {
        case .only(let wanted): return place == wanted
        case .allBut(let others): return !others.contains(place)
        }
    }

    fileprivate func mayBe(in head: RehearsalPageHead) -> Bool {
        guard case .only(let wanted) = places else { return true }
        let mask =
            switch trait {
            case .zone: head.zones
            case .platform: head.platforms
            case .locale: head.locales
            }
        return mask & PlaceMask.bit(of: wanted) != 0
    }
}
