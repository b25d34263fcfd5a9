import BelfryServices
import Foundation

/// A JSON object that is not interpreted here, kept as text.
struct JSONObjectText: Hashable, Sendable, Decodable {
    let text: String

    init(from decoder: any Decoder) throws {
        let object = try JSONObject(from: decoder)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        text = String(decoding: try encoder.encode(object), as: UTF8.self)
    }
}
