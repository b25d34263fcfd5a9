/// One request as it came: its head, and the beginning of its body.
struct PlainRequest: IncomingMessage, Equatable {
    /// How many bytes of a body are kept: more than any service takes.
    static let keptBytes = 32 << 10
    /// How many fields are kept: more than any service reads.
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
            guard !name.hasPrefix(":"), fields.count < Self.keptFields else { return }
            fields.append(SimulatedResponse.Field(name: name, value: value))
        }
    }

    mutating func append(_ bytes: some Collection<UInt8>) {
        bodyLength += bytes.count
        body.append(contentsOf: bytes.prefix(Self.keptBytes - body.count))
    }

    /// The field of that name; nil if there is none, or more than one.
    func field(_ name: String) -> String? {
        var value: String?
        for field in fields where field.name == name {
            guard value == nil else { return nil }
            value = field.value
        }
        return value
    }

    /// Whether there is a field of that name at all.
    func has(_ name: String) -> Bool {
        fields.contains { $0.name == name }
    }
}
