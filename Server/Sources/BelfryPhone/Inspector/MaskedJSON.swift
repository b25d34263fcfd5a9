import BelfryModel
import Foundation

/// The JSON of a request or response with its secrets shortened.
struct MaskedJSON {
    private static let maximumBytes = 1 << 20
    /// The names of members whose values would let anybody act for the device.
    private static let secrets: Set<String> = [
        "contactToken", "refreshToken", "idToken", "openIdToken", "pushToken", "token", "openIDToken",
    ]

    private let tree: Any

    init(_ body: Data) throws {
        tree = try CheckedJSON(body, maximumBytes: Self.maximumBytes).tree()
    }

    var masked: String {
        let masked = Self.mask(tree)
        guard JSONSerialization.isValidJSONObject(masked),
            let data = try? JSONSerialization.data(
                withJSONObject: masked, options: [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
            )
        else { return "…" }
        return String(decoding: data, as: UTF8.self)
    }

    private static func mask(_ value: Any) -> Any {
        if let object = value as? [String: Any] {
            return object.reduce(into: [String: Any]()) { masked, member in
                if secrets.contains(member.key), let text = member.value as? String {
                    masked[member.key] = shortened(text)
                } else {
                    masked[member.key] = mask(member.value)
                }
            }
        }
        if let list = value as? [Any] { return list.map(mask) }
        return value
    }

    private static func shortened(_ text: String) -> String {
        text.utf8.count <= 12 ? "…" : "\(text.prefix(6))…"
    }
}
