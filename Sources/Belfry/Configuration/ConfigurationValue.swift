/// Any value in a configuration file.
enum ConfigurationValue: Decodable {
    case text(String)
    case number(Double)
    case flag(Bool)
    case list([ConfigurationValue])
    case object([String: ConfigurationValue])
    case null

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let flag = try? container.decode(Bool.self) {
            self = .flag(flag)
        } else if let number = try? container.decode(Double.self) {
            self = .number(number)
        } else if let text = try? container.decode(String.self) {
            self = .text(text)
        } else if let list = try? container.decode([ConfigurationValue].self) {
            self = .list(list)
        } else {
            self = .object(try container.decode([String: ConfigurationValue].self))
        }
    }

    /// The type of the value, for a message.
    var kind: String {
        switch self {
        case .text: "a text"
        case .number: "a number"
        case .flag: "true or false"
        case .list: "an array"
        case .object: "an object"
        case .null: "null"
        }
    }
}
