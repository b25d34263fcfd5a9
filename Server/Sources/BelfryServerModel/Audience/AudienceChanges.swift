import BelfryModel

/// The kinds of changes of a device or its contact that audiences can depend on (IAM-15).
package struct AudienceChanges: OptionSet, Hashable, Sendable {
    package let rawValue: Int64

    package init(rawValue: Int64) {
        self.rawValue = rawValue
    }

    /// The device has another contact, or may now get pushes. It may be in any audience that did not contain it before.
    package static let identity = AudienceChanges(rawValue: 1)
    /// The device's own properties have changed.
    package static let device = AudienceChanges(rawValue: 2)
    /// The contact's attributes or its party identifier have changed.
    package static let attributes = AudienceChanges(rawValue: 4)
    package static let tags = AudienceChanges(rawValue: 8)
    package static let events = AudienceChanges(rawValue: 16)
    package static let all: AudienceChanges = [.identity, .device, .attributes, .tags, .events]
}

/// The changes by which devices can enter an audience, so that others need no check (IAM-15). Passing time and openings
/// of the app are left out: an app that is opened fetches its messages anyway.
package struct AudienceEntrances: Hashable, Sendable {
    package private(set) var changes: AudienceChanges = .identity
    /// The names of the events that can bring a device in.
    package private(set) var events: Set<String> = []

    /// The entrances of no audience.
    package static let none = AudienceEntrances()

    private init() {
        changes = []
    }

    package init(_ changes: AudienceChanges, events: Set<String>) {
        self.changes = changes
        self.events = events
    }

    package init(to audience: Condition) {
        add(audience, whenTrue: true)
        if !events.isEmpty { changes.insert(.events) }
    }

    package func union(_ other: AudienceEntrances) -> AudienceEntrances {
        AudienceEntrances(changes.union(other.changes), events: events.union(other.events))
    }

    /// - Parameter wanted: whether the audience contains devices for which the condition is true, or those for which it
    ///   is false.
    private mutating func add(_ condition: Condition, whenTrue wanted: Bool) {
        switch condition {
        case .everyone, .contactKeys, .deviceIDs, .known, .deviceFact(.lastOpenedAt, _): break
        case .all(let parts), .any(let parts): for part in parts { add(part, whenTrue: wanted) }
        case .not(let part): add(part, whenTrue: !wanted)
        case .attribute, .party: changes.insert(.attributes)
        case .tag: changes.insert(.tags)
        case .device, .deviceFact: changes.insert(.device)
        case .event(let clause) where clause.count.becomes(wanted): events.insert(clause.eventName)
        case .event: break
        }
    }
}

extension EventCount {
    /// Whether one more event can make the comparison true, or false.
    fileprivate func becomes(_ wanted: Bool) -> Bool {
        switch op {
        case .greater, .greaterOrEqual: wanted
        case .less, .lessOrEqual: !wanted
        case .equal, .notEqual: true
        }
    }
}
