import BelfryModel
import BelfryRules
import Foundation

/// Evaluates predicates in memory, with the same results as the server's SQL (CAMP-3). A property test compares the
/// two. No product has it: a server asks its database, and a device only what a trigger may ask (`Condition.admits`).
public struct ConditionEvaluator: Sendable {
    public let context: ConditionContext

    public init(_ context: ConditionContext) {
        self.context = context
    }

    public func holds(_ condition: Condition, for subject: ConditionSubject) -> Bool {
        switch condition {
        case .everyone: true
        case .all(let parts): parts.allSatisfy { holds($0, for: subject) }
        case .any(let parts): parts.contains { holds($0, for: subject) }
        case .not(let part): !holds(part, for: subject)
        case .attribute(let name, let comparison): holds(comparison, name, of: subject.contact)
        case .device(let property, let comparison):
            comparison.holds(subject.properties.value(of: property).map(AttributeValue.string))
        case .deviceFact(.pushOptIn, let comparison): comparison.holds(.boolean(subject.isOptedIn))
        case .deviceFact(.lastOpenedAt, let comparison):
            comparison.holds(forDate: subject.lastOpenedAt.map(AttributeValue.date), in: context)
        case .tag(let tag):
            subject.contact?.tags.contains { $0.isSpelled(NamingRule.composed(tag)) } ?? false
        case .contactKeys(let keys): subject.contact.map { $0.key.isAmong(keys) } ?? false
        case .deviceIDs(let ids): ids.contains { DeviceID.canonical(of: $0).isSpelled(subject.device.canonical) }
        case .known(let known): (subject.contact?.isKnown ?? false) == known
        case .event(let clause): holds(clause, for: subject.events)
        case .party(let part, let comparison):
            comparison.holds(subject.contact?.party.map { .string(part.value(of: $0)) })
        }
    }

    private func holds(_ comparison: Comparison, _ name: String, of contact: ConditionSubject.Contact?) -> Bool {
        let value = contact?.attributes.value(spelled: NamingRule.composed(name))
        return context.schema[name] == .date
            ? comparison.holds(forDate: value, in: context) : comparison.holds(value)
    }

    private func holds(_ clause: EventClause, for events: any EventHistory) -> Bool {
        let count = events.count(
            of: clause.eventName, since: clause.within.map { context.now.addingTimeInterval(-$0.seconds) },
            enough: clause.count.enough
        ) { attributes in clause.filter.map { $0.admits(attributes) } ?? true }
        return clause.count.holds(count)
    }
}

extension String {
    /// Whether it has the same code points, and not only canonically equivalent ones.
    fileprivate func isSpelled(_ other: String) -> Bool {
        utf8.elementsEqual(other.utf8)
    }

    fileprivate func isAmong(_ keys: [String]) -> Bool {
        keys.contains { isSpelled(NamingRule.composed($0)) }
    }
}
