import BelfryModel
import BelfryWire

/// The keys that a body may have, by its schema in the description of the API. What a campaign or a setting says and this
/// version does not know must not be silently left out (ADM-3).
struct KnownKeys: Sendable {
    /// How many unknown keys one answer names.
    static let maximumFaults = 20

    static let campaign = KnownKeys(of: "CampaignRequest")
    static let audience = KnownKeys(of: "AudienceCountRequest")
    static let settings = KnownKeys(of: "AppSettingsChange")
    static let messageCenter = KnownKeys(of: "MessageCenterChange")
    static let apns = KnownKeys(of: "APNsCredentialsRequest")
    static let fcm = KnownKeys(of: "FCMCredentialsRequest")
    static let webPush = KnownKeys(of: "WebPushCredentialsRequest")

    private let schema: OpenAPI.Schema

    /// - Parameter name: the schema's.
    init(of name: String) {
        schema = .reference(name)
    }

    /// Refuses a body that has other keys, and names them all.
    func check(_ bytes: [UInt8]) throws(APIError) {
        let tree: BodyTree
        do {
            tree = try BodyTree(bytes)
        } catch {
            throw APIError(error)
        }
        let faults = Self.unknownKeys(of: tree, schema, at: "").prefix(Self.maximumFaults)
        guard let first = faults.first else { return }
        throw APIError(
            .unprocessableContent, first.code, first.message, target: first.target,
            details: faults.count > 1 ? Array(faults.dropFirst()) : nil
        )
    }

    private static func unknownKeys(of tree: BodyTree, _ schema: OpenAPI.Schema, at path: String) -> [ErrorBody.Detail]
    {
        let schema = schema.resolved
        switch tree {
        case .list(let elements):
            guard let element = schema.elements else { return [] }
            return elements.enumerated().flatMap { unknownKeys(of: $1, element, at: "\(path)[\($0)]") }
        case .object(let members):
            let known = schema.keys(besides: members.keys)
            // An explicit null counts as absent; of a setting it would be a reset.
            let heedsNull = known.named.values.contains(where: \.takesNull)
            return members.sorted { $0.key < $1.key }.flatMap { key, value -> [ErrorBody.Detail] in
                let field = path.isEmpty ? key : "\(path).\(key)"
                if let schema = known.named[key] ?? known.others { return unknownKeys(of: value, schema, at: field) }
                guard known.isClosed, heedsNull || value != .null else { return [] }
                return [unknown(key, field, known: known.named.keys.sorted())]
            }
        case .string, .number, .boolean, .null:
            // The decoder judges it.
            return []
        }
    }

    private static func unknown(_ key: String, _ field: String, known: [String]) -> ErrorBody.Detail {
        let advice =
            NearestKey.find(key, in: known).map { "Did you mean '\($0)'?" }
            ?? "Known are: \(known.joined(separator: ", "))."
        return ErrorBody.Detail(
            code: ErrorCode.notSupported,
            message: "'\(key.prefix(64))' is not supported by this version. \(advice)",
            target: String(field.prefix(256))
        )
    }
}

extension OpenAPI.Schema {
    /// The keys that an object may have which has these: all of its alternatives that can be meant by them.
    fileprivate func keys(
        besides present: some Sequence<String>
    ) -> (named: [String: Self], others: Self?, isClosed: Bool) {
        let told = kinds.intersection(present)
        let objects = alternatives.filter { $0.properties != nil || $0.values != nil }
        let meant = told.isEmpty ? objects : objects.filter { !$0.required.isDisjoint(with: told) }
        let isMeant = Set(meant.flatMap { ($0.properties ?? [:]).keys }).union(kinds)
        let all = objects.reduce(into: [String: Self]()) { all, object in
            all.merge(object.properties ?? [:]) { first, _ in first }
        }
        return (
            all.filter { isMeant.contains($0.key) }, meant.lazy.compactMap(\.values).first,
            meant.allSatisfy(\.isClosed) && !meant.isEmpty
        )
    }
}
