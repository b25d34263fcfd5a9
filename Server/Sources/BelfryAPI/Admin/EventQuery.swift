import BelfryModel
import BelfryServices
import BelfryWire
import Foundation
import Hummingbird

/// The filter for events: `?name=&from=&to=&attribute.KEY=VALUE` (EVT-7). An error names the invalid part.
struct EventQuery: Hashable, Sendable {
    /// An event cannot have more attributes.
    static let maximumAttributes = EventLimits.maximumAttributes
    private static let attributePrefix = "attribute."

    let filter: EventFilter

    init(_ request: Request) throws(APIError) {
        let query = request.uri.queryParameters
        var filter = EventFilter()
        filter.name = try Self.name(query["name"])
        (filter.from, filter.to) = try Self.times(request)
        for (key, value) in query {
            guard let attribute = try Self.attribute(key, value) else { continue }
            filter.attributes.append(attribute)
        }
        guard filter.attributes.count <= Self.maximumAttributes else {
            throw APIError(
                .badRequest, ErrorCode.outOfRange, "At most \(Self.maximumAttributes) attributes can be compared.",
                target: "attribute"
            )
        }
        self.filter = filter
    }

    /// The period from `from` (included) to `to` (excluded).
    static func times(_ request: Request) throws(APIError) -> (from: Date?, to: Date?) {
        let query = request.uri.queryParameters
        let (from, to) = (try date(query["from"], "from"), try date(query["to"], "to"))
        if let from, let to, from >= to {
            throw APIError(.badRequest, ErrorCode.outOfRange, "It must be later than 'from'.", target: "to")
        }
        return (from, to)
    }

    private static func name(_ text: Substring?) throws(APIError) -> EventName? {
        guard let text else { return nil }
        do {
            return try EventName(String(text))
        } catch {
            throw APIError(.badRequest, error.code, error.message, target: "name")
        }
    }

    private static func date(_ text: Substring?, _ name: String) throws(APIError) -> Date? {
        guard let text else { return nil }
        guard let date = Timestamp.date(String(text)) else {
            throw APIError(
                .badRequest, "invalidDate", "A date is ISO 8601 with an offset: 2026-11-21T12:00:00Z.", target: name
            )
        }
        return date
    }

    /// Nil for a parameter that does not name an attribute.
    private static func attribute(
        _ key: Substring, _ value: Substring
    ) throws(APIError) -> EventFilter.Attribute? {
        guard key.utf8.starts(with: attributePrefix.utf8) else { return nil }
        // The library decodes only values.
        guard let name = WireURL.decoded(String(Substring(key.utf8.dropFirst(attributePrefix.utf8.count)))),
            !name.isEmpty
        else {
            throw APIError(
                .badRequest, ErrorCode.badRequest, "Name the attribute after the dot: attribute.city=Paris.",
                target: String(key.prefix(128))
            )
        }
        return EventFilter.Attribute(name: name, value: String(value))
    }
}

extension EventQuery {
    /// The query parameters.
    static let parameters: [OperationParameter] = [
        OperationParameter(
            name: "name", place: .query, schema: .string(), description: "Only events with this name."
        ),
        OperationParameter(
            name: "from", place: .query, schema: .of(Timestamp.self),
            description: "Only events at this time or later."
        ),
        OperationParameter(
            name: "to", place: .query, schema: .of(Timestamp.self), description: "Only events before this time."
        ),
        OperationParameter(
            name: "attribute.KEY", place: .query, schema: .string(),
            description: """
                Only events whose attribute has this value. Replace KEY by the attribute's name. With several such \
                parameters, at most \(maximumAttributes), all must match.
                """
        ),
    ]
}
