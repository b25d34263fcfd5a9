import BelfryModel
import BelfryServices
import BelfryWire

/// A parameter of a request: a part of the path or the query, or a header.
struct OperationParameter: Sendable {
    enum Place: String, Hashable, Sendable {
        case path, query, header
    }

    let name: String
    let place: Place
    let schema: JSONSchema
    let description: String
    var isRequired = false
    /// Whether the name without a value is meaningful.
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

extension OperationParameter {
    /// The parameters that several operations share, by the names under which they are referenced. Path parameters use
    /// their own names.
    static let shared = pathParameters.merging(headerParameters) { first, _ in first }

    private static let pathParameters: [String: OperationParameter] = [
        "appCode": OperationParameter(
            name: "appCode", place: .path, schema: .of(AppCode.self), description: "The app."
        ),
        "app": OperationParameter(name: "app", place: .path, schema: .of(AppCode.self), description: "The app."),
        "registrationId": OperationParameter(
            name: "registrationId", place: .path, schema: .string(format: "uuid"),
            description: "The registration's id, chosen by the device."
        ),
        "key": OperationParameter(
            name: "key", place: .path, schema: .string(1...AttributeKey.maximumLength),
            description: "The name of an attribute; not a reserved word."
        ),
        "id": OperationParameter(
            name: "id", place: .path, schema: .of(CampaignID.self), description: "The campaign's id."
        ),
        "version": OperationParameter(
            name: "version", place: .path, schema: .integer(1...Int32.max), description: "The number of a version."
        ),
        "comment": OperationParameter(
            name: "comment", place: .path, schema: .string(), description: "The id of a comment."
        ),
        "rehearsal": OperationParameter(
            name: "rehearsal", place: .path, schema: .string(), description: "The id of a rehearsal."
        ),
        "merchantId": OperationParameter(
            name: "merchantId", place: .path, schema: .string(), description: "Ignored."
        ),
        "clientId": OperationParameter(
            name: "clientId", place: .path, schema: .of(DeviceID.self), description: "The device, percent-encoded."
        ),
        "center": OperationParameter(
            name: "center", place: .path, schema: .of(MessageCenterName.self), description: "The message center."
        ),
        "messageId": OperationParameter(
            name: "messageId", place: .path, schema: .of(MessageID.self),
            description: "A message of the device's contact."
        ),
        "adminKey": OperationParameter(
            name: "adminKey", place: .path, schema: .string(), description: "The name of an admin key: `key-7`."
        ),
        "user": OperationParameter(
            name: "user", place: .path, schema: .string(1...UserName.maximumLength),
            description: "What the person signs in with."
        ),
        "session": OperationParameter(
            name: "session", place: .path, schema: .string(), description: "The id of a person's session."
        ),
        "receipt": OperationParameter(
            name: "receipt", place: .path, schema: .string(), description: "The receipt of an erasure."
        ),
        "work": OperationParameter(
            name: "work", place: .path, schema: .string(), description: "The id of quarantined work."
        ),
        "contactKey": OperationParameter(
            name: "contactKey", place: .path, schema: .string(1...ContactKey.maximumLength),
            description: "The contact key. Percent-encoded, it may contain any character, even a slash."
        ),
    ]

    private static let headerParameters: [String: OperationParameter] = [
        HeaderNames.clientID: OperationParameter(
            name: HeaderNames.clientID, place: .header, schema: .of(DeviceID.self),
            description: "The installation's id: the SDK's UUID, or an older id of a v3 client.", isRequired: true
        ),
        HeaderNames.clientState: OperationParameter(
            name: HeaderNames.clientState, place: .header, schema: .string(),
            description: "The state from the last response, unchanged. An old or forged one is not an error."
        ),
        HeaderNames.requestOrder: OperationParameter(
            name: HeaderNames.requestOrder, place: .header, schema: .integer(),
            description: """
                When the request was sent, in milliseconds since 1970. An older order never overwrites a newer one. If \
                it is absent, not a number or more than five minutes ahead, the server's time is used.
                """
        ),
        HeaderNames.clientTime: OperationParameter(
            name: HeaderNames.clientTime, place: .header, schema: .integer(),
            description: """
                The device's clock when the request was sent, in milliseconds since 1970. The times of events are \
                corrected by its difference from the server's clock. If it is absent, the order is used.
                """
        ),
        HeaderNames.idempotencyKey: OperationParameter(
            name: HeaderNames.idempotencyKey, place: .header, schema: .idempotencyKey,
            description: """
                Visible ASCII. The first response for a key is stored for 24 hours and sent again for a repeated \
                request. The same key with another request is rejected. While the first request is running, a repeated \
                one is a conflict (`idempotencyKeyInUse`); for 24 hours it is also a conflict when the first one ended \
                with a server error or without a response, so that its outcome is unknown \
                (`idempotencyKeyUnanswered`), or when its response had a body of more than \
                \(IdempotencyStore.maximumResponseBytes) bytes (`answerNotKept`, with its status in the message). \
                Below the floor of free disk space no responses are stored.
                """
        ),
    ]
}
