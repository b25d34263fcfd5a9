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

    /// The text of a value in the types of `JSONSerialization` that somebody else has made: a system, or the page of a web
    /// view. Its parts and the bytes of its texts are counted before anything walks through them all: they may be the same
    /// ones again and again, or contain themselves.
    ///
    /// - Parameter maximumBytes: what must be longer is refused; the text may still be, and is measured when it is read.
    /// - Returns: nil for a value that JSON does not have, or that is nested deeper than ``standardDepth``.
    public static func written(_ tree: Any, maximumBytes: Int) -> Data? {
        guard isBounded(tree, maximumBytes: maximumBytes), JSONSerialization.isValidJSONObject(tree) else { return nil }
        return try? JSONSerialization.data(withJSONObject: tree)
    }

    /// Level by level, without recursion. In JSON each part takes a byte at least, and a text all of its own.
    private static func isBounded(_ tree: Any, maximumBytes: Int) -> Bool {
        var level: [Any] = [tree]
        var left = maximumBytes
        for _ in 0..<standardDepth {
            var next: [Any] = []
            for value in level {
                guard let inside = parts(of: value) else { continue }
                for part in inside {
                    left -= 1 + ((part as? String)?.utf8.count ?? 0)
                    guard left >= 0 else { return false }
                }
                next += inside
            }
            level = next
        }
        return level.allSatisfy { Self.parts(of: $0) == nil }
    }

    /// Names are parts, too. Nil for what is no list and no object.
    private static func parts(of value: Any) -> [Any]? {
        if let list = value as? [Any] { return list }
        guard let object = value as? [AnyHashable: Any] else { return nil }
        return object.keys.map(\.base) + Array(object.values)
    }
}
