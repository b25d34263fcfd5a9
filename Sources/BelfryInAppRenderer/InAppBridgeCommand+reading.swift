import BelfryModel
import Foundation

extension InAppBridgeCommand {
    /// The maximum size of a command in bytes.
    public static let maximumBytes = 65_536
    /// The maximum height in points: no screen is higher, and a view of this height still works.
    public static let maximumHeight = 100_000.0

    /// Reads a command that a page has posted. Nothing in it is trusted: the nonce must be this presentation's, fields
    /// must have the right types and be within their limits, links must have an allowed scheme.
    ///
    /// - Parameters:
    ///   - body: what the web view passes: the JSON text, or a dictionary of the same fields.
    ///   - nonce: that of the page that is shown.
    ///   - linkSchemes: in lower case.
    public init(
        body: Any, nonce: String, linkSchemes: Set<String> = InAppLinks.standardSchemes
    ) throws(InAppBridgeError) {
        let data: Data
        if let text = body as? String {
            data = Data(text.utf8)
        } else if let fields = body as? [String: Any],
            let written = CheckedJSON.written(fields, maximumBytes: Self.maximumBytes)
        {
            data = written
        } else {
            throw .unreadable
        }
        guard let said = try? CheckedJSON.decode(Said.self, from: data, maximumBytes: Self.maximumBytes) else {
            throw .unreadable
        }
        guard !nonce.isEmpty, said.nonce == nonce else { throw .wrongNonce }
        try self.init(said, linkSchemes: linkSchemes)
    }

    private init(_ said: Said, linkSchemes: Set<String>) throws(InAppBridgeError) {
        switch said.command {
        case "loaded": self = .loaded
        case "resized": self = .resized(height: try Self.height(said.height))
        case "close": self = .close(try Self.closing(said.how))
        case "click": self = .click(buttonID: try Self.buttonID(said.id))
        case "event": self = try Self.event(said)
        case "openLink": self = .openLink(url: try Self.link(said.url, linkSchemes))
        case "pushSettings": self = .pushSettings
        default: throw .unknownCommand
        }
    }

    private static func height(_ value: AnyField?) throws(InAppBridgeError) -> Double {
        guard case .value(.number(let height)) = value, (0...maximumHeight).contains(height) else {
            throw .invalidField("height")
        }
        return height
    }

    private static func closing(_ value: AnyField?) throws(InAppBridgeError) -> Closing {
        guard let how = value?.text.flatMap(Closing.init) else { throw .invalidField("how") }
        return how
    }

    /// Absent means the message itself.
    private static func buttonID(_ value: AnyField?) throws(InAppBridgeError) -> String? {
        guard let value else { return nil }
        guard let id = value.text, !id.isEmpty, id.count <= InAppLimits.maximumButtonIDLength,
            id.utf8.count <= NamingRule.maximumBytes
        else { throw .invalidField("id") }
        return id
    }

    private static func event(_ said: Said) throws(InAppBridgeError) -> InAppBridgeCommand {
        guard let text = said.name?.text, let name = try? EventName(text) else { throw .invalidField("name") }
        var attributes: [String: AttributeValue] = [:]
        switch said.attributes {
        case nil: break
        case .object(let pairs) where pairs.count <= EventLimits.maximumAttributes: attributes = pairs
        default: throw .invalidField("attributes")
        }
        return .event(name: name.rawValue, attributes: attributes)
    }

    private static func link(_ value: AnyField?, _ schemes: Set<String>) throws(InAppBridgeError) -> String {
        guard let url = value?.text else { throw .invalidField("url") }
        guard InAppLinks.permits(url, schemes: schemes) else { throw .linkRefused }
        return url
    }
}

/// A command before it is checked.
private struct Said: Decodable {
    let nonce: String?
    let command: String?
    let height: AnyField?
    let how: AnyField?
    let id: AnyField?
    let name: AnyField?
    let attributes: AnyField?
    let url: AnyField?
}

/// A field whose type the page has chosen, so that a wrong one can be reported.
private enum AnyField: Decodable {
    case value(AttributeValue)
    case object([String: AttributeValue])
    case other

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let value = try? container.decode(AttributeValue.self) {
            self = .value(value)
        } else if let object = try? container.decode([String: AttributeValue].self) {
            self = .object(object)
        } else {
            self = .other
        }
    }

    var text: String? {
        guard case .value(.string(let text)) = self else { return nil }
        return text
    }
}
