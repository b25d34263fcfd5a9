import Foundation

/// JSON from outside (SEC-6). Its length, its grammar (``JSONGrammar``) and its depth are checked before a general
/// parser reads it. All outside JSON is decoded through this type, so the checks apply to all of it. Its texts are made
/// stream-safe (``StreamSafeText``).
public struct CheckedJSON: Sendable {
    /// The default maximum of bytes.
    public static let standardLength = 1_048_576
    /// The default maximum depth of nested lists and objects.
    public static let standardDepth = 32

    private static let byteOrderMark: [UInt8] = [0xef, 0xbb, 0xbf]

    private let data: Data

    /// - Parameters:
    ///   - data: UTF-8; a byte order mark at the beginning is skipped (RFC 8259 §8.1).
    ///   - maximumBytes: a longer text is rejected without being read.
    ///   - maximumDepth: at most ``JSONGrammar/deepest``.
    public init(
        _ data: Data, maximumBytes: Int = standardLength, maximumDepth: Int = standardDepth
    ) throws(JSONGrammarError) {
        guard data.count <= maximumBytes else { throw .tooLong }
        let text = data.starts(with: Self.byteOrderMark) ? Data(data.dropFirst(Self.byteOrderMark.count)) : data
        // Data's closure cannot throw a typed error.
        let checked = text.withUnsafeBytes { bytes in
            Result { () throws(JSONGrammarError) in
                try JSONGrammar.check(bytes.bindMemory(to: UInt8.self), maximumDepth: maximumDepth)
            }
        }
        try checked.get()
        self.data = StreamSafeText.make(ofJSON: text)
    }

    /// Throws a `DecodingError` when the JSON does not have the requested type.
    ///
    /// - Parameter userInfo: values that the decoded types read from their decoder.
    public func decode<Value: Decodable>(
        _ type: Value.Type, userInfo: [CodingUserInfoKey: any Sendable] = [:]
    ) throws -> Value {
        let decoder = JSONDecoder()
        decoder.userInfo = userInfo
        return try decoder.decode(type, from: data)
    }

    /// An object or a list in the types of `JSONSerialization`, for callers that do not know its content.
    public func tree() throws -> Any {
        try JSONSerialization.jsonObject(with: data)
    }

    /// Checks and decodes. Throws a `DecodingError` for the whole text when it is not acceptable JSON.
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

    /// Checks and decodes bytes that are not a `Data`.
    public static func decode<Value: Decodable>(
        _ type: Value.Type, from bytes: some Sequence<UInt8>, maximumBytes: Int = standardLength,
        maximumDepth: Int = standardDepth
    ) throws -> Value {
        try decode(type, from: Data(bytes), maximumBytes: maximumBytes, maximumDepth: maximumDepth)
    }

    /// The JSON text of a value in the types of `JSONSerialization` that came from a system or from the page of a web
    /// view. Its parts and the bytes of its texts are counted before anything walks through all of them, because an
    /// object may occur in it any number of times, or contain itself.
    ///
    /// - Parameter maximumBytes: a value whose text must be longer is rejected. The text may still be longer; it is
    ///   measured when it is read.
    /// - Returns: nil for a value that JSON does not have, or that is nested deeper than ``standardDepth``.
    public static func written(_ tree: Any, maximumBytes: Int) -> Data? {
        guard isBounded(tree, maximumBytes: maximumBytes), JSONSerialization.isValidJSONObject(tree) else { return nil }
        return try? JSONSerialization.data(withJSONObject: tree)
    }

    /// Counts level by level, without recursion. In JSON each part has at least one byte, and a text all of its own.
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

    /// The parts of a list or an object, including names; nil for any other value.
    private static func parts(of value: Any) -> [Any]? {
        if let list = value as? [Any] { return list }
        guard let object = value as? [AnyHashable: Any] else { return nil }
        return object.keys.map(\.base) + Array(object.values)
    }
}
