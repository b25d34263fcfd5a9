import BelfryModel
import BelfryServerModel
import BelfryWire

/// The keys that a body may have, according to its schema in the API's description. Unknown keys of a campaign or a
/// setting must not be ignored (ADM-3).
struct KnownKeys: Sendable {
    /// The maximum number of objects in a body: the largest campaign has less than half as many. A body with more is
    /// rejected before anything is made of it (SEC-2).
    static let maximumObjects = 5_000

    private let table: KeyTable

    init(of type: any Described.Type) {
        table = KeyTable(of: type)
    }

    /// Rejects a body with unknown keys, and names them.
    func check(_ bytes: [UInt8]) throws(APIError) {
        let tree: BodyTree
        do {
            tree = try BodyTree(bytes)
        } catch {
            throw APIError(error)
        }
        let walk = try walk(tree)
        let error = APIError(
            .unprocessableContent, errors: walk.unknown, areAll: !walk.isCut, detail: \.detail
        )
        if let error { throw error }
    }

    /// Finds unknown keys.
    func walk(_ tree: BodyTree) throws(APIError) -> UnknownKeyWalk {
        var walk = UnknownKeyWalk(table: table)
        try walk.look(at: tree, table.root, path: "")
        return walk
    }
}

/// An unknown key, and the keys that are known in its place.
struct UnknownKey: Hashable, Sendable {
    let key: String
    let field: String
    let known: Set<String>

    var detail: ErrorBody.Detail {
        let known = known.sorted()
        let advice =
            NearestKey.find(key, in: known).map { "Did you mean '\($0)'?" }
            ?? "Known keys: \(NameList.text(known))."
        return ErrorBody.Detail(
            code: ErrorCode.notSupported,
            message: "'\(key.prefix(64))' is not supported by this version. \(advice)",
            target: String(field.prefix(256))
        )
    }
}

/// One pass through a body, up to the last object, or until more unknown keys have been found than a response names.
struct UnknownKeyWalk: Sendable {
    let table: KeyTable
    private(set) var unknown: [UnknownKey] = []
    /// The number of objects examined.
    private(set) var objects = 0
    /// Whether some were not examined.
    private(set) var isCut = false

    init(table: KeyTable) {
        self.table = table
    }

    mutating func look(at tree: BodyTree, _ place: KeyTable.Place, path: String) throws(APIError) {
        switch tree {
        case .list(let elements):
            guard let element = table[place].elements else { return }
            for (index, value) in elements.enumerated() where !isCut {
                try look(at: value, element, path: "\(path)[\(index)]")
            }
        case .object(let members):
            try look(at: members, table[place].keys, path: path)
        case .string, .number, .boolean, .null:
            // The decoder reports it.
            return
        }
    }

    private mutating func look(at members: [String: BodyTree], _ keys: KeyTable.Keys, path: String) throws(APIError) {
        guard unknown.count <= APIError.maximumErrors else {
            isCut = true
            return
        }
        objects += 1
        guard objects <= KnownKeys.maximumObjects else {
            throw APIError(
                .unprocessableContent, ErrorCode.tooComplex,
                "The body has more than \(KnownKeys.maximumObjects) objects. Use fewer."
            )
        }
        let meaning = keys.meaning(of: members.keys)
        for (key, value) in members.sorted(by: { $0.key < $1.key }) {
            let field = path.isEmpty ? key : "\(path).\(key)"
            if let place = keys.place(of: key, in: meaning) {
                try look(at: value, place, path: field)
            } else if meaning.isClosed, meaning.heedsNull || value != .null {
                // An explicit null counts as absent; for a setting it would be a reset.
                unknown.append(UnknownKey(key: key, field: field, known: meaning.names))
            }
        }
    }
}
