import BelfryModel
import BelfryWire

/// The request of a version 3 client for inline messages (WIRE-14). Other members are skipped.
struct InlineBody: Hashable, Sendable {
    /// The maximum number of view ids in one call; the clients ask for one.
    static let maximumViewIDs = 100

    /// Empty when the client names no view, as the iOS client does for a blank id.
    private(set) var viewIDs: [String] = []
    /// The campaigns of `clicks`, each once.
    private(set) var campaigns: [String] = []

    init(_ bytes: [UInt8]) throws(JSONError) {
        var reader = try JSONReader(bytes)
        var viewIDs: [String] = []
        var rows = CampaignRows()
        try reader.object { reader, key throws(JSONError) in
            switch key {
            case "viewIds" where !reader.isAtNull: viewIDs = try Self.viewIDs(&reader)
            case "clicks": try rows.read(key, &reader)
            default: try reader.skipValue()
            }
        }
        try reader.end()
        self.viewIDs = viewIDs
        campaigns = rows.names
    }

    private static func viewIDs(_ reader: inout JSONReader) throws(JSONError) -> [String] {
        var list: [String] = []
        try reader.list { reader throws(JSONError) in
            guard list.count < maximumViewIDs else { throw .tooMany(field: "viewIds", maximum: maximumViewIDs) }
            list.append(try reader.string())
        }
        return list
    }
}
