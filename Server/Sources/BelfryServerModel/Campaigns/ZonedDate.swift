import BelfryModel
import Foundation

/// A date in an operator's request (ADM-2): with an offset, or in a time zone that the reader knows, namely the app's.
/// Without a ``DateZone``, a decoder accepts only dates with an offset.
@propertyWrapper
package struct ZonedDate: Hashable, Sendable {
    package var wrappedValue: Date? { didSet { text = nil } }
    /// The text as it was written, for a reader who knows the time zone.
    private var text: String?

    package init(wrappedValue: Date?) {
        self.wrappedValue = wrappedValue
    }

    /// A date that is written as it was read, because its time zone is known elsewhere.
    package init(asWritten text: String?) {
        self.text = text
    }

    package var projectedValue: ZonedDate {
        get { self }
        set { self = newValue }
    }
}

/// The time zone in which a decoder reads the dates that have no offset.
package struct DateZone: Sendable {
    let name: String
    let zone: TimeZone

    /// - Parameter name: the name in the app's settings.
    package init(named name: String) {
        self.name = name
        zone = ZoneName(name)?.timeZone ?? .gmt
    }
}

extension CheckedJSON {
    /// Decodes a value. Throws a `DecodingError` when the JSON does not have the value's shape.
    ///
    /// - Parameter zone: the time zone of dates without an offset. Nil: such dates are errors.
    package func decode<Value: Decodable>(_ type: Value.Type, datesIn zone: DateZone?) throws -> Value {
        try decode(type, userInfo: zone.map { [.dateZone: $0] } ?? [:])
    }

    /// Decodes a value and continues after each ``ZonedDate`` that cannot be read: it becomes nil, and its error is
    /// returned. Throws if anything else is wrong.
    package func decodePastDates<Value: Decodable>(
        _ type: Value.Type, in zone: DateZone
    ) throws -> (value: Value, unreadable: [DecodingError]) {
        let dates = UnreadableDates()
        let value = try decode(type, userInfo: [.dateZone: zone, .unreadableDates: dates])
        return (value, dates.errors)
    }
}

extension CodingUserInfoKey {
    // The initializer returns nil for no text at all, as its documentation says.
    fileprivate static let dateZone = CodingUserInfoKey(rawValue: "dateZone")!
    // The initializer never returns nil, as above.
    fileprivate static let unreadableDates = CodingUserInfoKey(rawValue: "unreadableDates")!
}

/// Collects the dates of one decoding that cannot be read, in the order in which they come.
// Unchecked: `found` is read and written only between `lock` and `unlock`, so by one thread at a time.
private final class UnreadableDates: @unchecked Sendable {
    private let lock = NSLock()
    private var found: [DecodingError] = []

    var errors: [DecodingError] {
        lock.lock()
        defer { lock.unlock() }
        return found
    }

    func note(_ error: DecodingError) {
        lock.lock()
        defer { lock.unlock() }
        found.append(error)
    }
}

extension ZonedDate: Codable {
    package init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        let zone = decoder.userInfo[.dateZone] as? DateZone
        guard let date = zone.map({ Timestamp.date(text, in: $0.zone) }) ?? Timestamp.date(text) else {
            let other = zone.map { ", or 2026-12-01T09:00:00 in \($0.name)" } ?? ""
            let error = DecodingError.dataCorrupted(
                .init(
                    codingPath: decoder.codingPath,
                    debugDescription: "expected a date such as 2026-12-01T09:00:00Z\(other)"
                )
            )
            guard let unreadable = decoder.userInfo[.unreadableDates] as? UnreadableDates else { throw error }
            unreadable.note(error)
            self.init(wrappedValue: nil)
            return
        }
        self.init(wrappedValue: date)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(written)
    }

    fileprivate var written: String? { text ?? wrappedValue.map(Timestamp.text) }
}

// The compiler's synthesized code picks these overloads by the property's type: they let its key be absent.

extension KeyedDecodingContainer {
    package func decode(_ type: ZonedDate.Type, forKey key: Key) throws -> ZonedDate {
        try decodeIfPresent(type, forKey: key) ?? ZonedDate(wrappedValue: nil)
    }
}

extension KeyedEncodingContainer {
    package mutating func encode(_ date: ZonedDate, forKey key: Key) throws {
        try encodeIfPresent(date.written, forKey: key)
    }
}
