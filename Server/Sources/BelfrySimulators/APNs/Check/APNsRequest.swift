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
