import BelfryModel
import BelfryWire

extension OpenAPI {
    /// A part of the path, of the query, or a header of a request.
    struct Parameter: Hashable, Sendable {
        enum Place: String, Hashable, Sendable {
            case path, query, header
        }

        let name: String
        let place: Place
        let schema: Schema
        let description: String
        var isRequired = false
        /// Whether its name alone, without a value, says something.
        var mayBeEmpty = false

        var tree: JSONTree {
            .members([
                "name": .string(name),
                "in": .string(place.rawValue),
                "required": place == .path || isRequired ? .boolean(true) : nil,
                "allowEmptyValue": mayBeEmpty ? .boolean(true) : nil,
                "schema": schema.tree,
                "description": .string(description),
            ])
        }
    }

    /// The parameters that several operations have, by the names that they refer to: those of paths by their own.
    static let parameters: [String: Parameter] = pathParameters.merging(headerParameters) { first, _ in first }

    private static let pathParameters: [String: Parameter] = [
        "appCode": Parameter(name: "appCode", place: .path, schema: .reference("AppCode"), description: "The app."),
        "app": Parameter(name: "app", place: .path, schema: .reference("AppCode"), description: "The app."),
        "registrationId": Parameter(
            name: "registrationId", place: .path, schema: .string(format: "uuid"),
            description: "The id that the device gave to the registration."
        ),
        "key": Parameter(
            name: "key", place: .path, schema: .string(1...AttributeKey.maximumLength),
            description: "The name of an attribute; none of the reserved words."
        ),
        "id": Parameter(
            name: "id", place: .path, schema: .reference("CampaignID"), description: "The number of a campaign."
        ),
        "clientId": Parameter(
            name: "clientId", place: .path, schema: .reference("DeviceID"), description: "The device."
        ),
        "center": Parameter(
            name: "center", place: .path, schema: .reference("MessageCenterName"), description: "The message centre."
        ),
        "messageId": Parameter(
            name: "messageId", place: .path, schema: .reference("MessageID"),
            description: "A message of the device's contact."
        ),
        "work": Parameter(
            name: "work", place: .path, schema: .string(), description: "The id of work that is set aside."
        ),
        "contactKey": Parameter(
            name: "contactKey", place: .path, schema: .string(1...ContactKey.maximumLength),
            description: "The contact; percent-encoded it may hold anything, a slash too."
        ),
    ]

    private static let headerParameters: [String: Parameter] = [
        HeaderNames.clientID: Parameter(
            name: HeaderNames.clientID, place: .header, schema: .reference("DeviceID"),
            description: "Names the installation: a UUID that the SDK makes once.", isRequired: true
        ),
        HeaderNames.clientState: Parameter(
            name: HeaderNames.clientState, place: .header, schema: .string(),
            description: "The state of the last answer, as it came. One that is stale or forged is no error."
        ),
        HeaderNames.requestOrder: Parameter(
            name: HeaderNames.requestOrder, place: .header, schema: .integer(),
            description: """
                When the request was put on the wire, in milliseconds since 1970: an older order never overwrites a \
                newer one. Absent, or no number, it counts as the server's time, as does one that is more than five \
                minutes ahead.
                """
        ),
        HeaderNames.clientTime: Parameter(
            name: HeaderNames.clientTime, place: .header, schema: .integer(),
            description: """
                The device's clock when the request was put on the wire, in milliseconds since 1970. The times of \
                events are corrected by its difference from the server's. Absent, the order is taken for it.
                """
        ),
        HeaderNames.idempotencyKey: Parameter(
            name: HeaderNames.idempotencyKey, place: .header, schema: OpenAPI.idempotencyKey,
            description: """
                Visible ASCII. The first answer to a key is kept for 24 hours and given again to a repetition; the \
                same key with another request is refused. As long as the first request is under way a repetition is a \
                conflict (`idempotencyKeyInUse`), and so it is for 24 hours when that request ended with a fault of \
                the server or without an answer (`idempotencyKeyUnanswered`): nobody knows whether it was done.
                """
        ),
    ]
}
