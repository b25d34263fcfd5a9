import BelfryModel
import BelfryServerModel
import BelfryWire
import Hummingbird

extension APIError {
    /// A body that is not JSON, or does not have the expected shape.
    init(_ error: JSONError) {
        var message = error.reason
        if case .unexpected("", _) = error { message = "The body: \(message)" }
        if case .tooMany = error {
            self.init(.contentTooLarge, ErrorCode.bodyTooLarge, message, target: error.field)
        } else {
            self.init(.badRequest, ErrorCode.invalidBody, message, target: error.field)
        }
    }

    /// A body that is JSON, but cannot be decoded.
    init(_ error: DecodingError) {
        let bodyError = BodyDecodingError(error)
        let message = bodyError.field.map { "\($0): \(bodyError.what)" } ?? "The body: \(bodyError.what)"
        self.init(.badRequest, ErrorCode.invalidBody, message, target: bodyError.field)
    }
}

/// A decoding error for people: "revision: expected a whole number".
struct BodyDecodingError: Hashable, Sendable {
    /// In the usual notation, `push.buttons[0].id`; nil for the body itself.
    let field: String?
    let what: String

    init(_ error: DecodingError) {
        switch error {
        case .keyNotFound(let key, let context):
            field = Self.path(context.codingPath + [key])
            what = "is missing"
        case .valueNotFound(_, let context):
            field = Self.path(context.codingPath)
            what = field == nil ? "expected an object" : "is missing"
        case .typeMismatch(let type, let context):
            field = Self.path(context.codingPath)
            what = "expected \(Self.words(for: type))"
        case .dataCorrupted(let context):
            field = Self.path(context.codingPath)
            what = Self.words(forCorrupted: context)
        @unknown default:
            field = nil
            what = "cannot be read"
        }
    }

    private static func path(_ keys: [any CodingKey]) -> String? {
        guard !keys.isEmpty else { return nil }
        return keys.reduce(into: "") { path, key in
            if let index = key.intValue {
                path += "[\(index)]"
            } else {
                path += (path.isEmpty ? "" : ".") + key.stringValue.prefix(64)
            }
        }
    }

    private static func words(for type: any Any.Type) -> String {
        switch type {
        case is any FixedWidthInteger.Type: "a whole number"
        case is any BinaryFloatingPoint.Type: "a number"
        case is Bool.Type: "true or false"
        case is String.Type: "a string"
        default: "\(type)".hasPrefix("Array") ? "a list" : "an object"
        }
    }

    /// The library's messages name our types; those of our decoders are meant for people.
    private static func words(forCorrupted context: DecodingError.Context) -> String {
        let description = context.debugDescription
        let beginning = "Cannot initialize ".utf8
        guard description.utf8.starts(with: beginning) else {
            return description.utf8.starts(with: "The given data was not valid JSON".utf8)
                ? "contains a number or a text that cannot be read" : description
        }
        let name = description.utf8.dropFirst(beginning.count).prefix { $0 != UInt8(ascii: " ") }
        guard let values = allowedValues[String(Substring(name))] else { return "is not one of the allowed values" }
        return "expected one of \(values.joined(separator: ", "))"
    }

    /// The values of an enumeration, by the name of its type.
    private static let allowedValues: [String: [String]] = [
        "\(PushProvider.self)": PushProvider.allCases.map(\.rawValue),
        "\(PushEnvironment.self)": PushEnvironment.allCases.map(\.rawValue),
        "\(BadgeChange.Operation.self)": BadgeChange.Operation.allCases.map(\.rawValue),
        "\(AttributeType.self)": AttributeType.allCases.map(\.rawValue),
        "\(CampaignKind.self)": CampaignKind.allCases.map(\.rawValue),
        "\(IdentityMode.self)": IdentityMode.allCases.map(\.rawValue),
        "\(MessageState.self)": MessageStateRequest.states.map(\.rawValue),
        "\(DeviceProperty.self)": DeviceProperty.allCases.map(\.rawValue),
        "\(NotificationAction.Kind.self)": NotificationAction.Kind.allCases.map(\.rawValue),
        "\(InAppActionKind.self)": InAppActionKind.allCases.map(\.rawValue),
        "\(InAppType.self)": InAppType.allCases.map(\.rawValue),
        "\(InAppLayout.self)": InAppLayout.allCases.map(\.rawValue),
        "\(InterruptionLevel.self)": InterruptionLevel.allCases.map(\.rawValue),
        "\(QuietHours.Consequence.self)": QuietHours.Consequence.allCases.map(\.rawValue),
    ]
}
