import BelfryServices
import Foundation

/// An object whose members are somebody else's affair, kept as JSON text.
struct JSONObjectText: Hashable, Sendable, Decodable {
    let text: String

    init(from decoder: any Decoder) throws {
        let object = try JSONObject(from: decoder)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        text = String(decoding: try encoder.encode(object), as: UTF8.self)
    }
}
