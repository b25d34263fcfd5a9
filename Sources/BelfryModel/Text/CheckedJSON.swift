import Foundation

/// JSON from outside (SEC-6): its bytes are held to a length, to ``JSONGrammar`` and to a depth before a general parser
/// sees them. It is the only way to one, so what holds for the grammar holds for whatever is decoded. Its texts are
/// stream-safe (``StreamSafeText``).
public struct CheckedJSON: Sendable {
    /// Bytes that are taken where nobody says otherwise.
    public static let standardLength = 1_048_576
    /// Lists and objects within one another that are taken where nobody says otherwise.
    public static let standardDepth = 32

    private static let byteOrderMark: [UInt8] = [0xef, 0xbb, 0xbf]

    private let data: Data

    /// - Parameters:
    ///   - data: UTF-8; a byte order mark in front is passed over (RFC 8259 §8.1).
    ///   - maximumBytes: a longer text is not looked at.
    ///   - maximumDepth: at most ``JSONGrammar/deepest``.
    public init(
        _ data: Data, maximumBytes: Int = standardLength, maximumDepth: Int = standardDepth
    ) throws(JSONGrammarError) {
        guard data.count <= maximumBytes else { throw .tooLong }
        let text = data.starts(with: Self.byteOrderMark) ? Data(data.dropFirst(Self.byteOrderMark.count)) : data
        // A typed error does not come through Data's closure.
        let checked = text.withUnsafeBytes { bytes in
            Result { () throws(JSONGrammarError) in
                try JSONGrammar.check(bytes.bindMemory(to: UInt8.self), maximumDepth: maximumDepth)
            }
        }
        try checked.get()
        self.data = StreamSafeText.make(ofJSON: text)
    }

    /// Throws a `DecodingError` when the JSON is another value than is asked for.
    ///
    /// - Parameter userInfo: what the types that are decoded look up in their decoder.
    public func decode<Value: Decodable>(
        _ type: Value.Type, userInfo: [CodingUserInfoKey: any Sendable] = [:]
    ) throws -> Value {
        let decoder = JSONDecoder()
        decoder.userInfo = userInfo
        return try decoder.decode(type, from: data)
    }

    /// An object or a list in the types of `JSONSerialization`, for who cannot know what it holds.
    public func tree() throws -> Any {
        try JSONSerialization.jsonObject(with: data)
    }

    /// Checks and decodes at once. Throws a `DecodingError` for the whole when it is not the JSON that is taken.
    public static func decode<Value: Decodable>(
        _ type: Value.Type, from data: Data, maximumBytes: Int = standardLength, maximumDepth: Int = standardDepth
    ) throws -> Value {
        let json: CheckedJSON
        do {
            json = try CheckedJSON(data, maximumBytes: maximumBytes, maximumDepth: maximumDepth)
        } catch {
            throw DecodingError.dataCorrupted(
                .init(codingPath: [], debugDescription: "The given data was not valid JSON: \(error)")
            )
        }
        return try json.decode(type)
    }

    /// The same for bytes that are no `Data` yet.
    public static func decode<Value: Decodable>(
        _ type: Value.Type, from bytes: some Sequence<UInt8>, maximumBytes: Int = standardLength,
        maximumDepth: Int = standardDepth
    ) throws -> Value {
        try decode(type, from: Data(bytes), maximumBytes: maximumBytes, maximumDepth: maximumDepth)
    }
}
