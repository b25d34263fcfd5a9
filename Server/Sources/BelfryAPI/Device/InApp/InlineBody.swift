import BelfryModel
import BelfryWire

/// What a client of version 3 asks of inline messages (WIRE-14). Whatever else is there is passed over.
struct InlineBody: Hashable, Sendable {
    /// Places in the app that one call asks for; the clients ask for one.
    static let maximumViewIDs = 100

    /// None when the client names no place, as one on iOS does with a blank one.
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
