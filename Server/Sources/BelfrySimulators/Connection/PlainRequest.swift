/// One request as received: its head, and the beginning of its body.
struct PlainRequest: IncomingMessage, Equatable {
    /// The maximum number of bytes of a body that are kept: more than any service accepts.
    static let keptBytes = 32 << 10
    /// The maximum number of fields that are kept: more than any service reads.
    static let keptFields = 64

    private(set) var method = ""
    private(set) var path = ""
    private(set) var fields: [SimulatedResponse.Field] = []
    /// The first `keptBytes` of the body.
    private(set) var body: [UInt8] = []
    private(set) var bodyLength = 0

    mutating func take(_ name: String, _ value: String) {
        switch name {
        case ":method": method = value
        case ":path": path = value
        default:
            guard !name.utf8.starts(with: ":".utf8), fields.count < Self.keptFields else { return }
            fields.append(SimulatedResponse.Field(name: name, value: value))
        }
    }

    mutating func append(_ bytes: some Collection<UInt8>) {
        bodyLength += bytes.count
        body.append(contentsOf: bytes.prefix(Self.keptBytes - body.count))
    }

    /// The field with this name; nil if it is absent, or occurs more than once.
    func field(_ name: String) -> String? {
        var value: String?
        for field in fields where field.name == name {
            guard value == nil else { return nil }
            value = field.value
        }
        return value
    }

    /// Whether a field with this name exists.
    func has(_ name: String) -> Bool {
        fields.contains { $0.name == name }
    }
}
