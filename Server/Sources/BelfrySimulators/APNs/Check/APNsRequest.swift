/// One request as it came: what APNs reads of its head, and its body.
struct APNsRequest: IncomingMessage, Equatable {
    /// How many bytes of a body are kept: enough to see that it is too large.
    static let keptBytes = APNsRequestCheck.voipPayloadLimit + 1

    var head: APNsRequestHead
    /// The first `keptBytes` of the body.
    private(set) var body: [UInt8]
    /// How many bytes the body had in all.
    private(set) var bodyLength: Int

    init(head: APNsRequestHead) {
        self.head = head
        body = []
        bodyLength = 0
    }

    init() {
        self.init(head: APNsRequestHead())
    }

    mutating func take(_ name: String, _ value: String) {
        head.take(name, value)
    }

    mutating func append(_ bytes: some Collection<UInt8>) {
        bodyLength += bytes.count
        body.append(contentsOf: bytes.prefix(Self.keptBytes - body.count))
    }
}

/// The fields of a request that APNs reads, uninterpreted.
struct APNsRequestHead: Sendable, Equatable {
    var method = ""
    var path = ""
    var authorization: String?
    var id: String?
    var topic: String?
    var pushType: String?
    var expiration: String?
    var priority: String?
    var collapseID: String?
    /// One of the fields above came more than once.
    var hasRepeatedField = false

    /// Takes one field; `name` is in lower case, as HTTP/2 has it.
    mutating func take(_ name: String, _ value: String) {
        switch name {
        case ":method": method = value
        case ":path": path = value
        case "authorization": Self.set(&authorization, to: value, &hasRepeatedField)
        case "apns-id": Self.set(&id, to: value, &hasRepeatedField)
        case "apns-topic": Self.set(&topic, to: value, &hasRepeatedField)
        case "apns-push-type": Self.set(&pushType, to: value, &hasRepeatedField)
        case "apns-expiration": Self.set(&expiration, to: value, &hasRepeatedField)
        case "apns-priority": Self.set(&priority, to: value, &hasRepeatedField)
        case "apns-collapse-id": Self.set(&collapseID, to: value, &hasRepeatedField)
        default: break
        }
    }

    private static func set(_ field: inout String?, to value: String, _ isRepeated: inout Bool) {
        isRepeated = isRepeated || field != nil
        field = value
    }
}
