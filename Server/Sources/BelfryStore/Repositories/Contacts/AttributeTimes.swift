import BelfryModel
import Foundation

/// When each value of a contact was set. When two contacts are merged, the newer value of an attribute wins (ADM-5).
package struct AttributeTimes: Hashable, Sendable {
    /// Milliseconds since 1970, by attribute.
    package private(set) var times: [String: Int64]

    package init(_ times: [String: Int64] = [:]) {
        self.times = times
    }

    /// - Parameters:
    ///   - json: the stored times; nil: the values were set before times were recorded.
    ///   - updatedAt: when the contact was last changed, in milliseconds since 1970. It is the time of all values if
    ///     `json` is nil, since none can be newer.
    init(json: String?, of attributes: [String: AttributeValue], updatedAt: Int64) throws {
        if let json {
            times = try JSONText.decode([String: Int64].self, json)
        } else {
            times = attributes.mapValues { _ in updatedAt }
        }
    }

    /// Records the time of values that differ between two states of the attributes.
    mutating func change(from old: [String: AttributeValue], to new: [String: AttributeValue], at now: Date) {
        for (name, value) in new where !(old[name].map { value.isWritten(as: $0) } ?? false) {
            times[name] = now.milliseconds
        }
        times = times.filter { new[$0.key] != nil }
    }

    /// The times of a contact's values, completed with those of values taken from another contact.
    package func completed(by other: AttributeTimes, for names: some Sequence<String>) -> AttributeTimes {
        var result = self
        for name in names { result.times[name] = other.times[name] }
        return result
    }

    /// The merged values of two contacts, with their times. Of two values with the same time, the first contact's wins.
    package static func newest(
        _ own: [String: AttributeValue], _ times: AttributeTimes, or others: [String: AttributeValue],
        _ otherTimes: AttributeTimes
    ) -> (attributes: [String: AttributeValue], times: AttributeTimes) {
        var result = (attributes: own, times: times)
        for (name, value) in others {
            let time = otherTimes.times[name] ?? 0
            guard own[name] == nil || time > times.times[name] ?? 0 else { continue }
            result.attributes[name] = value
            result.times.times[name] = time
        }
        return result
    }
}

extension AttributeValue {
    /// Whether both are equal to the last code point; in Swift, two spellings of "é" are equal.
    fileprivate func isWritten(as other: AttributeValue) -> Bool {
        guard case .string(let text) = self, case .string(let otherText) = other else { return self == other }
        return text.utf8.elementsEqual(otherText.utf8)
    }
}

extension ContactRepository {
    package func attributeTimes(of contact: Int64) throws -> AttributeTimes {
        guard let stored = try connection.audiences.stored(contact: contact) else { return AttributeTimes() }
        return try stored.times(of: try StoredAttributes.read(stored.attributes))
    }

    /// The recorded times of a contact's values; values set before times were recorded have none.
    package func notedTimes(of contact: Int64) throws -> [String: Int64] {
        let json = try connection.first("SELECT attributes_at FROM contacts WHERE id = ?", [.integer(contact)]) {
            $0.optionalText(0)
        }
        guard let json = json ?? nil else { return [:] }
        return try JSONText.decode([String: Int64].self, json)
    }
}

extension AudienceRepository.StoredContact {
    func times(of attributes: [String: AttributeValue]) throws -> AttributeTimes {
        try AttributeTimes(json: attributesAt, of: attributes, updatedAt: updatedAt)
    }

    /// The times after a change of the attributes, as JSON; nil if the attributes have not changed.
    ///
    /// - Parameter json: the attributes as they are stored now.
    func times(after json: String, at now: Date) throws -> String? {
        guard !attributes.utf8.elementsEqual(json.utf8) else { return nil }
        let old = try StoredAttributes.read(attributes)
        var times = try times(of: old)
        times.change(from: old, to: try StoredAttributes.read(json), at: now)
        return try JSONText.encode(times.times)
    }
}
