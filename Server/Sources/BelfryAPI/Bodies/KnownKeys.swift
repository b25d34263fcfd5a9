import BelfryModel
import BelfryServerModel
import BelfryWire

/// The keys that a body may have, by its schema in the description of the API. What a campaign or a setting says and this
/// version does not know must not be silently left out (ADM-3).
struct KnownKeys: Sendable {
    /// Objects of one body: a campaign with all that it may have holds less than half as many. What has more is refused
    /// before anything is made of it (SEC-2).
    static let maximumObjects = 5_000

    private let table: KeyTable

    init(of type: any Described.Type) {
        table = KeyTable(of: type)
    }

    /// Refuses a body that has other keys, and names them.
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

    /// Looks for keys that no schema has.
    func walk(_ tree: BodyTree) throws(APIError) -> UnknownKeyWalk {
        var walk = UnknownKeyWalk(table: table)
        try walk.look(at: tree, table.root, path: "")
        return walk
    }
}

/// A key that no schema has, and which there are in its place.
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

/// One look through a body, from its first object to its last, or to the first one behind more unknown keys than are told.
struct UnknownKeyWalk: Sendable {
    let table: KeyTable
    private(set) var unknown: [UnknownKey] = []
    /// Those that were looked at.
    private(set) var objects = 0
    /// Whether some were not.
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
            // The decoder judges it.
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
                "The body has more than \(KnownKeys.maximumObjects) objects: say it with fewer parts."
            )
        }
        let meaning = keys.meaning(of: members.keys)
        for (key, value) in members.sorted(by: { $0.key < $1.key }) {
            let field = path.isEmpty ? key : "\(path).\(key)"
            if let place = keys.place(of: key, in: meaning) {
                try look(at: value, place, path: field)
            } else if meaning.isClosed, meaning.heedsNull || value != .null {
                // An explicit null counts as absent; of a setting it would be a reset.
                unknown.append(UnknownKey(key: key, field: field, known: meaning.names))
            }
        }
    }
}
