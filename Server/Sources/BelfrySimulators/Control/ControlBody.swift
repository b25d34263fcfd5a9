/// A body that may only have known members: otherwise a misspelled limit would remove the limit.
protocol ControlBody: Decodable {
    /// The names of its members.
    static var members: [String] { get }
    /// The names of the members of its nested objects.
    static var parts: [String: [String]] { get }
}

extension ControlBody {
    static var parts: [String: [String]] { [:] }

    /// Throws a `ControlError` that names the first member that is not known.
    static func rejectUnknown(in body: [UInt8]) throws(ControlError) {
        // What is no object is refused where it is read.
        guard let object = JSONValue.object(from: body) else { return }
        try rejectUnknown(in: object, members, prefix: "")
        for member in object {
            guard case .object(let inner) = member.value, let names = parts[member.name] else { continue }
            try rejectUnknown(in: inner, names, prefix: member.name + ".")
        }
    }

    private static func rejectUnknown(
        in object: [JSONMember], _ names: [String], prefix: String
    ) throws(ControlError) {
        // Compared by bytes: Swift treats two spellings of a character as equal.
        let unknown = object.first { member in !names.contains { $0.utf8.elementsEqual(member.name.utf8) } }
        guard let unknown else { return }
        throw ControlError(
            field: prefix + unknown.name.prefix(maximumNameLength),
            "is unknown: there are \(names.joined(separator: ", "))"
        )
    }
}

/// The maximum number of characters of an unknown name that the response repeats.
private let maximumNameLength = 64

extension ControlInput.Quota {
    static let members = ["requests", "intervalSeconds"]
}

extension ControlInput.Key: ControlBody {
    static let members = ["teamId", "keyId", "publicKey", "topics", "environments"]
}

extension ControlInput.Token: ControlBody {
    static let members = ["topic", "environment"]
}

extension ControlInput.ServiceAccount: ControlBody {
    static let members = ["projectId", "clientEmail", "privateKeyId", "publicKey"]
}

extension ControlInput.FCMToken: ControlBody {
    static let members = ["projectId"]
}

extension ControlInput.FCMState: ControlBody {
    static let members = ["state"]
}

extension ControlInput.Subscription: ControlBody {
    static let members = ["applicationServerKey"]
}

extension ControlInput.SubscriptionState: ControlBody {
    static let members = ["state"]
}

extension ControlInput.State: ControlBody {
    static let members = ["state", "since"]
}

extension ControlInput.APNsQuotas: ControlBody {
    static let members = ["device"]
    static let parts = ["device": ControlInput.Quota.members]
}

extension ControlInput.FCMQuotas: ControlBody {
    static let members = ["project", "device"]
    static let parts = ["project": ControlInput.Quota.members, "device": ControlInput.Quota.members]
}

extension ControlInput.WebPushQuotas: ControlBody {
    static let members = ["sender", "subscription"]
    static let parts = ["sender": ControlInput.Quota.members, "subscription": ControlInput.Quota.members]
}

extension ControlInput.Faults: ControlBody {
    static let members = [
        "seed", "rates", "slowAnswerMilliseconds", "goAwayAfter", "silentAfter", "latencyMilliseconds",
        "retryAfterSeconds",
    ]
}
