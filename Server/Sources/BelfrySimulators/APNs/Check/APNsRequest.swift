/// One request as received: the fields of its head that APNs reads, and its body.
struct APNsRequest: IncomingMessage, Equatable {
    /// The maximum number of bytes of a body that are kept: enough to see that it is too large.
    static let keptBytes = APNsRequestCheck.voipPayloadLimit + 1

    var head: APNsRequestHead
    /// The first `keptBytes` of the body.
    private(set) var body: [UInt8]
    /// The size of the whole body in bytes.
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

/// The fields of a request that APNs reads, not interpreted.
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
    /// Whether one of the fields above occurred more than once.
    var hasRepeatedField = false

    /// Stores one field; `name` is in lower case, as in HTTP/2.
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
